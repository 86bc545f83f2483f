package conversion_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestRequest_projectWhoseListsFail: it holds up no request of another project, whether or not the service limits their rate.
func TestRequest_projectWhoseListsFail(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{"hang": {Hang: time.Hour}, "fail": {Status: 503}} {
		for _, isLimited := range []bool{false, true} {
			inBubble(t, func(b *bubble) {
				b.service.AddProject(mockserver.Project{ID: "other", Chapters: many(5, 10*time.Second)})
				b.reach()
				if isLimited {
					b.limit(0)
				}
				fault.Operation, fault.ProjectID, fault.Skip, fault.Times = mockserver.ListChapters, project, 1, 40
				b.service.Inject(fault)
				book := wholeBook()
				go b.engine.ConvertProject(b.Context(), book)
				time.Sleep(3 * time.Second)
				began := time.Now()
				book.ProjectID = "other"
				failed := failures(b.engine.ConvertProject(b.Context(), book))
				took := time.Since(began)
				if len(failed) > 0 || took > time.Minute {
					b.Errorf("lists %s, limited: %t: the other project took %s, failures %v", name, isLimited, took, failed)
				}
				for range 60 { // until the project is done
					time.Sleep(time.Minute)
				}
			}, many(20, 10*time.Second)...)
		}
	}
}
