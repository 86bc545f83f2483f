package provider_test

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// listed is one result of a list.
type listed struct {
	name     string
	identity tftypes.Value
	object   tftypes.Value // null unless it was asked for
}

// list lists the chapters of a project. Taking less than the limit, it stops like a reader that has gone.
func (c *core) list(p *process, request tfprotov6.ListResourceRequest, projectID string, taken int) (results []listed, shown *screen) {
	c.Helper()
	server, ok := p.ProviderServer.(tfprotov6.ListResourceServer)
	if !ok {
		c.Fatal("the provider has no list resources")
	}
	request.TypeName = c.name
	request.Config = c.wire(valueOf(schemas().ListResourceSchemas[c.name].ValueType(), map[string]any{"project_id": projectID}))
	stream, err := server.ListResource(c.Context(), &request)
	c.must(err)
	shown = &screen{}
	for result := range stream.Results {
		if shown.print(result.Diagnostics) {
			continue
		}
		found := listed{name: result.DisplayName}
		found.identity, err = result.Identity.IdentityData.Unmarshal(identityType)
		c.must(err)
		if result.Resource != nil {
			found.object = c.read(result.Resource)
		}
		if results = append(results, found); len(results) == taken {
			break
		}
	}
	return results, shown
}

var identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"project_id": tftypes.String, "chapter_id": tftypes.String}}
