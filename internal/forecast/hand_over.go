package forecast

import (
	"sync"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// Terraform replaces a resource by destroying it and creating another. So a Delete hands over what the resource
// remembers of its chapters, and the Create of the same kind for the same chapters, in the same process, takes it as
// its own. No plan counts on that: Terraform may create first (create_before_destroy), or never call Delete (destroy =
// false), and it tells nobody which.

// handOver is what destroyed resources have left, until others take it.
type handOver struct {
	mu   sync.Mutex
	left map[handedOver][]conversion.Memory // Several resources of one kind may be about a chapter.
}

// handedOver is a chapter, and the kind of resource that has left something of it.
type handedOver struct {
	ofBook               bool
	projectID, chapterID string
}

// HandOver leaves what a resource that is destroyed remembers. A failure is not left: the new resource sees what failed
// as unconverted text. Nor are triggers, because a creation wants what it wants.
func (c *Conversions) HandOver(s Scope) {
	c.handOver.mu.Lock()
	defer c.handOver.mu.Unlock()
	for id, memory := range s.Memory.Chapters {
		memory.ForTriggers = false
		if memory.Pending.Failed() {
			memory.Pending = nil
		}
		if memory != (conversion.Memory{}) {
			what := handedOver{!s.SingleChapter, s.ProjectID, id}
			c.handOver.left[what] = append(c.handOver.left[what], memory)
		}
	}
}

// TakeOver gives a creation what was left for its chapters.
func (c *Conversions) TakeOver(s Scope) (taken ResourceMemory) {
	c.handOver.mu.Lock()
	defer c.handOver.mu.Unlock()
	for what, all := range c.handOver.left {
		if !s.isAbout(what) {
			continue
		}
		memory := all[0]
		c.handOver.left[what] = all[1:]
		if len(all) == 1 {
			delete(c.handOver.left, what)
		}
		taken.put(what.chapterID, memory)
	}
	return taken
}

// HasHandedOver reports whether TakeOver would give anything.
func (c *Conversions) HasHandedOver(s Scope) bool {
	c.handOver.mu.Lock()
	defer c.handOver.mu.Unlock()
	for what := range c.handOver.left {
		if s.isAbout(what) {
			return true
		}
	}
	return false
}

func (s Scope) isAbout(what handedOver) bool {
	isOfOthers := s.All && !s.Except[what.chapterID]
	return what.ofBook != s.SingleChapter && what.projectID == s.ProjectID && (isOfOthers || s.names(what.chapterID))
}
