package simulation_test

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

const (
	resourceType = "audioprojects_chapter_conversion"
	actionType   = "audioprojects_convert_chapter"
)

// schemas are the provider's schemas. They are the same for all processes, so they are requested once.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("test")().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// pending is an object's pending_conversion, and whether we requested that conversion.
func pending(o *fakecore.Object) (text string, own bool) {
	if o == nil {
		return "", false
	}
	ticket := fakecore.AttributesOf(o.Value)["pending_conversion"]
	if ticket.IsNull() || !ticket.IsKnown() {
		return "", false
	}
	if err := ticket.As(&text); err != nil {
		panic(err)
	}
	var known struct {
		RequestedAtUnix *float64 `json:"requested_at_unix"`
	}
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		panic(err)
	}
	return text, known.RequestedAtUnix != nil
}
