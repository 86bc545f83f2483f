// Package fakecore takes the place of Terraform's core in tests. It speaks the plugin protocol with a provider
// in the same process, so a test can run in a synctest bubble, where an hour takes no time.
//
// It does as core does in these respects:
//
//   - A run refreshes and plans in one process of the provider, and applies in another.
//   - A plan has the values of the configuration. The provider may set only computed attributes.
//   - Before a change is applied, it is planned once more. Values that were known must be the same then.
//   - Values that were known must be the same in the result, too. The result has no unknown values.
//   - If a creation fails and returns an object, the object is tainted. A tainted object is planned as if
//     there were none, and is replaced.
//   - Of all objects that are replaced, the old ones are destroyed before any new one is created ([Turn.DestroyFirst]); with
//     create_before_destroy an old one is destroyed last, and with destroy = false it is only forgotten. The provider gets the planned
//     private data for the destruction.
//     Of its two plans, only the warnings of the first are shown.
//   - After an interruption, core asks the provider to stop, waits for its answers, and begins nothing else. After a
//     kill nobody receives an answer, and the state stays as it was.
//
// A [Core] makes the single calls, a [Turn] applies a change, and a [Workspace] is a run with one block.
package fakecore

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// T receives the errors: Errorf for a rule that the provider has broken, and Fatalf if the test cannot
// continue. A *testing.T is one.
type T interface {
	Helper()
	Errorf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
	// Context is the context of every call to the provider.
	Context() context.Context
}

// Provider is the provider's whole side of the protocol.
type Provider interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// Core makes core's calls for objects of one resource type.
type Core struct {
	t        T
	schemas  *tfprotov6.GetProviderSchemaResponse
	TypeName string
}

// New returns a core for a provider that has these schemas.
func New(t T, schemas *tfprotov6.GetProviderSchemaResponse, typeName string) *Core {
	return &Core{t: t, schemas: schemas, TypeName: typeName}
}

// Object is an object in the state.
type Object struct {
	Value    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
	Tainted  bool
}

// ProviderConfig is a provider block.
func (c *Core) ProviderConfig(settings map[string]any) *tfprotov6.DynamicValue {
	return c.Encode(ValueOf(c.schemas.Provider.ValueType(), settings))
}

// Configure configures a process with the provider block. The capabilities may be nil.
func (c *Core) Configure(provider Provider, settings map[string]any, capabilities *tfprotov6.ConfigureProviderClientCapabilities) {
	c.t.Helper()
	config := c.ProviderConfig(settings)
	valid, err := provider.ValidateProviderConfig(c.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	c.Must(err)
	c.Must(nil, valid.Diagnostics...)
	configured, err := provider.ConfigureProvider(c.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config, ClientCapabilities: capabilities})
	c.Must(err)
	c.Must(nil, configured.Diagnostics...)
}

// Import imports the object with an id, and refreshes it.
func (c *Core) Import(provider Provider, id string, shown *Screen) *Object {
	c.t.Helper()
	imported, err := provider.ImportResourceState(c.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: c.TypeName, ID: id})
	c.Must(err)
	c.Must(nil, imported.Diagnostics...)
	found := imported.ImportedResources[0]
	object, _ := c.Refresh(provider, &Object{Value: c.Decode(found.State), Private: found.Private, Identity: found.Identity}, shown)
	return object
}

// Schema is that of the resource type.
func (c *Core) Schema() *tfprotov6.Schema { return c.schemas.ResourceSchemas[c.TypeName] }

// Null is the value of an object that does not exist.
func (c *Core) Null() tftypes.Value { return tftypes.NewValue(c.Schema().ValueType(), nil) }

// Value is an object of the resource type with these attributes; the others are null.
func (c *Core) Value(arguments map[string]any) tftypes.Value {
	return ValueOf(c.Schema().ValueType(), arguments)
}

// Encode puts a value into the protocol's form.
func (c *Core) Encode(value tftypes.Value) *tfprotov6.DynamicValue {
	c.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	c.Must(err)
	return &encoded
}

// Decode reads an object of the resource type.
func (c *Core) Decode(encoded *tfprotov6.DynamicValue) tftypes.Value {
	c.t.Helper()
	value, err := encoded.Unmarshal(c.Schema().ValueType())
	c.Must(err)
	return value
}

// Must ends the test if there is an error or any diagnostic.
func (c *Core) Must(err error, diagnostics ...*tfprotov6.Diagnostic) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%v", err)
	}
	for _, diagnostic := range diagnostics {
		c.t.Fatalf("%s: %s", diagnostic.Summary, diagnostic.Detail)
	}
}
