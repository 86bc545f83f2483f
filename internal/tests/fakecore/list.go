package fakecore

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Listed is one result of a list.
type Listed struct {
	Name     string
	Identity tftypes.Value
	Object   tftypes.Value // null unless it was asked for
}

// List lists objects of the resource type. It stops after taken results, even if there are more.
func (c *Core) List(provider Provider, request tfprotov6.ListResourceRequest, arguments map[string]any, taken int) (results []Listed, shown *Screen) {
	c.t.Helper()
	identities, err := provider.GetResourceIdentitySchemas(c.t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	c.Must(err)
	identityType := identities.IdentitySchemas[c.TypeName].ValueType()
	shown = &Screen{}
	for result := range c.StartList(provider, request, arguments).Results {
		if shown.Print(result.Diagnostics) {
			continue
		}
		found := Listed{Name: result.DisplayName}
		found.Identity, err = result.Identity.IdentityData.Unmarshal(identityType)
		c.Must(err)
		if result.Resource != nil {
			found.Object = c.Decode(result.Resource)
		}
		results = append(results, found)
		if len(results) == taken {
			break
		}
	}
	return results, shown
}

// StartList requests a list. The caller reads its results from the stream.
func (c *Core) StartList(provider Provider, request tfprotov6.ListResourceRequest, arguments map[string]any) *tfprotov6.ListResourceServerStream {
	c.t.Helper()
	request.TypeName = c.TypeName
	request.Config = c.Encode(ValueOf(c.schemas.ListResourceSchemas[c.TypeName].ValueType(), arguments))
	stream, err := provider.ListResource(c.t.Context(), &request)
	c.Must(err)
	return stream
}
