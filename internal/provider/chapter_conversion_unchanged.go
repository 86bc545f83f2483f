package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

const (
	conversionTypeName = "audioprojects_chapter_conversion"
	bookTypeName       = "audioprojects_project_conversion"
)

// In most plans nearly all objects are unchanged. The framework needs 1.5 ms for each of them, mostly for
// walking the schema, and keeps some 15 KB for each request until the process ends. So the server answers itself
// for objects that are surely unchanged, in a tenth of that time. Its answer is the same as the framework's. It
// leaves every other object to the framework.

// UpgradeResourceState answers itself if the state has the current version of the schema.
func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if req.TypeName == conversionTypeName && req.Version == conversionSchema().Version {
		if state := encoded(req.RawState); state != nil {
			return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: state}, nil
		}
	}
	return s.protocol.UpgradeResourceState(ctx, req)
}

// encoded converts the JSON of the state file to the protocol's encoding; nil if it does not match the schema.
// Attributes that the schema does not have, from a later version of the provider, are dropped, as in the framework.
func encoded(raw *tfprotov6.RawState) *tfprotov6.DynamicValue {
	if raw == nil {
		return nil
	}
	lenient := tfprotov6.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}}
	object, err := raw.UnmarshalWithOpts(conversionType(), lenient)
	if err != nil {
		return nil
	}
	state, err := tfprotov6.NewDynamicValue(conversionType(), object)
	if err != nil {
		return nil
	}
	return &state
}

// ValidateResourceConfig answers itself for a configuration with valid ids and without timeouts.
func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if req.TypeName == conversionTypeName && isSurelyValid(req.Config) {
		return &tfprotov6.ValidateResourceConfigResponse{}, nil
	}
	return s.protocol.ValidateResourceConfig(ctx, req)
}

// isSurelyValid reports whether both ids are valid and no other attribute that has a validator is set.
func isSurelyValid(config *tfprotov6.DynamicValue) bool {
	object := attributesOf(config)
	for _, name := range []string{"project_id", "chapter_id"} {
		var id string
		if object[name].As(&id) != nil || audioprojects.CheckID(id) != nil {
			return false
		}
	}
	return object["timeouts"].IsNull()
}

// ReadResource answers itself if nothing is pending, and the chapter is as in the state.
func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if known := readSettled(ctx, req.TypeName, req.CurrentState, req.Private); known != nil && s.isUnchanged(ctx, known) {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: known.protocolIdentity()}, nil
	}
	return s.protocol.ReadResource(ctx, req)
}

// PlanResourceChange answers itself if nothing is pending, and Terraform proposes the prior state.
func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if s.provider.data.Load().ready() && sameBytes(req.PriorState, req.ProposedNewState) {
		if known := readSettled(ctx, req.TypeName, req.PriorState, req.PriorPrivate); known != nil && known.satisfies(req.Config) && s.isUnedited(ctx, known) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}, nil
		}
	}
	return s.protocol.PlanResourceChange(ctx, req)
}

// sameBytes reports whether two values are encoded in the same bytes. Equal values may also have different bytes; those
// are left to the framework.
func sameBytes(a, b *tfprotov6.DynamicValue) bool {
	return a != nil && b != nil && bytes.Equal(a.MsgPack, b.MsgPack) && bytes.Equal(a.JSON, b.JSON)
}

// settledConversion is an object without a pending conversion.
type settledConversion struct {
	chapterConversionModel
	leftover int64
}

// readSettled is nil for an object with a pending conversion, and for one that it cannot decode.
func readSettled(ctx context.Context, typeName string, state *tfprotov6.DynamicValue, private []byte) *settledConversion {
	if typeName != conversionTypeName {
		return nil
	}
	var known settledConversion
	err := errors.Join(
		readModel(ctx, reflect.ValueOf(&known.chapterConversionModel).Elem(), attributesOf(state)),
		readPrivate(private, leftoverKey, &known.leftover),
	)
	if err != nil || !known.PendingConversion.IsNull() {
		return nil
	}
	return &known
}

// isUnchanged reports whether the service shows the chapter as it is in the state. It is false if the leftover would
// have to be lowered.
func (s *server) isUnchanged(ctx context.Context, known *settledConversion) bool {
	data := s.provider.data.Load()
	if !data.ready() || known.unconverted() < known.leftover {
		return false
	}
	chapter, err := data.engine.Chapter(ctx, known.ProjectID.ValueString(), known.ChapterID.ValueString())
	return err == nil && newChapterModel(chapter).equal(known.chapterModel)
}

// isUnedited reports whether the service shows no more unconverted text than there may be. The state may be older than an
// edit, if Terraform has not refreshed it.
func (s *server) isUnedited(ctx context.Context, known *settledConversion) bool {
	if !known.KeepUpToDate.ValueBool() {
		return true
	}
	chapter, err := s.provider.data.Load().engine.Chapter(ctx, known.ProjectID.ValueString(), known.ChapterID.ValueString())
	left, _ := conversion.Unconverted(chapter)
	return err == nil && left <= known.leftover
}

// satisfies reports whether the configuration requires no conversion.
func (c *settledConversion) satisfies(config *tfprotov6.DynamicValue) bool {
	if !c.KeepUpToDate.ValueBool() {
		// The caller has checked that Terraform proposes the prior state. Where the configuration has no
		// value, Terraform proposes the prior one, and false is the default.
		return !c.KeepUpToDate.IsNull()
	}
	return c.unconverted() <= c.leftover && !attributesOf(config)["keep_up_to_date"].IsNull()
}

func (c *settledConversion) protocolIdentity() *tfprotov6.ResourceIdentityData {
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"project_id": tftypes.String, "chapter_id": tftypes.String}}
	// Two strings always encode.
	value, _ := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, map[string]tftypes.Value{
		"project_id": tftypes.NewValue(tftypes.String, c.ProjectID.ValueString()),
		"chapter_id": tftypes.NewValue(tftypes.String, c.ChapterID.ValueString()),
	}))
	return &tfprotov6.ResourceIdentityData{IdentityData: &value}
}

var conversionSchema = sync.OnceValue(func() schema.Schema {
	var described resource.SchemaResponse
	new(chapterConversionResource).Schema(context.Background(), resource.SchemaRequest{}, &described)
	return described.Schema
})

var attributeTypes = sync.OnceValue(func() map[string]attr.Type {
	kinds := map[string]attr.Type{}
	for name, attribute := range conversionSchema().Attributes {
		kinds[name] = attribute.GetType()
	}
	return kinds
})

var conversionType = sync.OnceValue(func() tftypes.Type {
	return conversionSchema().Type().TerraformType(context.Background())
})

// attributesOf is nil for an object that is missing, is null, or cannot be decoded.
func attributesOf(value *tfprotov6.DynamicValue) (attributes map[string]tftypes.Value) {
	if value == nil {
		return nil
	}
	object, err := value.Unmarshal(conversionType())
	if err != nil || object.As(&attributes) != nil {
		return nil
	}
	return attributes
}

// readModel fills the fields of a model, by their tfsdk tags.
func readModel(ctx context.Context, model reflect.Value, attributes map[string]tftypes.Value) error {
	if attributes == nil {
		return errors.New("the object cannot be read")
	}
	for field, value := range model.Fields() {
		if field.Anonymous {
			if err := readModel(ctx, value, attributes); err != nil {
				return err
			}
			continue
		}
		name := field.Tag.Get("tfsdk")
		read, err := attributeTypes()[name].ValueFromTerraform(ctx, attributes[name])
		if err != nil {
			return err
		}
		value.Set(reflect.ValueOf(read))
	}
	return nil
}

// readPrivate reads from the framework's encoding what [setPrivate] has stored. It fails if the framework has
// stored something of its own there, under a key that begins with a dot: then the framework must answer.
func readPrivate(private []byte, key string, value any) error {
	if len(private) == 0 {
		return nil
	}
	var kept map[string][]byte
	if err := json.Unmarshal(private, &kept); err != nil {
		return err
	}
	for name := range kept {
		if strings.HasPrefix(name, ".") {
			return errors.New("the framework keeps something for itself")
		}
	}
	if kept[key] == nil {
		return nil
	}
	return json.Unmarshal(kept[key], value)
}
