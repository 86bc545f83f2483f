package simulation_test

import (
	"context"
	"encoding/json"
	"math/big"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

const (
	resourceType = "audioprojects_chapter_conversion"
	bookType     = "audioprojects_project_conversion"
	actionType   = "audioprojects_convert_chapter"
	bookAction   = "audioprojects_convert_project"
)

// schemas are the provider's schemas. They are the same for all processes, so they are requested once.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("test")().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	must(err)
	return all
})

// pending is what an object keeps of a chapter's conversion, and whether we requested that conversion.
func (w *wish) pending(o *fakecore.Object) (text string, own bool) {
	if o == nil {
		return "", false
	}
	if w.Book {
		text = keptOf(o, w.chapter)
	} else {
		text = pendingConversion(o)
	}
	if text == "" {
		return "", false
	}
	var known struct {
		RequestedAtUnix *float64 `json:"requested_at_unix"`
	}
	must(json.Unmarshal([]byte(text), &known))
	return text, known.RequestedAtUnix != nil
}

// keptOf is what a book keeps of a chapter's conversion, in its private state.
func keptOf(o *fakecore.Object, chapter int) string {
	private := map[string][]byte{}
	var memory struct {
		Kept map[string]struct{ Pending json.RawMessage }
	}
	if len(o.Private) > 0 {
		must(json.Unmarshal(o.Private, &private))
	}
	if len(private["memory"]) > 0 {
		must(json.Unmarshal(private["memory"], &memory))
	}
	return string(memory.Kept[chapterIDs[chapter]].Pending)
}

// chapterCount is how many chapters a book has been about.
func chapterCount(o *fakecore.Object) int {
	if o == nil {
		return 0
	}
	count := new(big.Float)
	must(fakecore.AttributesOf(o.Value)["chapter_count"].As(&count))
	whole, _ := count.Int64()
	return int(whole)
}

func pendingConversion(o *fakecore.Object) (text string) {
	ticket := fakecore.AttributesOf(o.Value)["pending_conversion"]
	if ticket.IsNull() || !ticket.IsKnown() {
		return ""
	}
	must(ticket.As(&text))
	return text
}
