package simulation_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// outcome is the result of a story.
type outcome struct {
	violations []violation
	exceptions map[string]int
	posts      int
	timeline   *timeline
	rules      rules
	ends       string // what was paid for
}

// play plays a story in a synctest bubble.
func play(t *testing.T, s *story, traced bool) (o outcome) {
	t.Helper()
	defer watch(s.Seed)()
	defer func() {
		trouble := recover()
		if trouble != nil {
			o.violations = append(o.violations, violation{"panic", fmt.Sprint(trouble)})
		}
	}()
	synctest.Test(t, func(t *testing.T) { o = playStory(t.Context(), s, traced) })
	return o
}

func playStory(ctx context.Context, s *story, traced bool) outcome {
	var trace *timeline
	if traced {
		trace = &timeline{}
	}
	t := &terraform{world: newWorld(s, trace), ledger: newLedger(), rules: rules{}}
	t.ctx = tflogtest.RootLogger(ctx, decisionLog(t.observed))
	t.core, t.books = fakecore.New(coreT{t}, schemas(), resourceType), fakecore.New(coreT{t}, schemas(), bookType)
	for i, b := range s.Blocks {
		t.blocks = append(t.blocks, newResource(b, i, len(s.Chapters)))
	}
	for i := len(t.blocks) - 1; i > 0; i-- { // What another block depends on must be there before it.
		if t.blocks[i].Depends && t.blocks[i].CreateBeforeDestroy {
			t.blocks[i-1].CreateBeforeDestroy = true
		}
	}
	for _, r := range s.Rounds {
		t.goesDown = t.goesDown || slices.ContainsFunc(r.Events, func(e event) bool { return e.What == "down" })
	}
	for number, r := range s.Rounds {
		t.run(r, number)
	}
	<-time.After(time.Minute)
	t.locked(func(now time.Duration) {
		t.closing = true
		trace.at(now, "SERVICE", behaves)
		for _, c := range t.chapters {
			c.becomeUsual()
		}
		for _, b := range t.blocks {
			if b.Timeout+b.ChapterTimeout > 0 {
				b.settled.ended = 0
			}
			b.Timeout, b.ChapterTimeout = 0, 0
		}
	})
	t.goesDown = false
	// Two applies are enough, and where a plan shows no changes, none is needed. It may take a second conversion to show that
	// the service never converts a text, and a whole timeout to show that it does nothing.
	applies := 2
	if slices.ContainsFunc(t.chapters, (*chapter).mayTakeLong) {
		applies = 4
	}
	pause := 2 * time.Hour
	var plans map[*resource]planned
	for number := range applies + 1 {
		if number == applies {
			<-time.After(pause)
			plans = t.plan(round{})
			t.checkStaysSettled(plans, true)
			break
		}
		plans = t.run(round{Pause: pause}, len(s.Rounds)+number)
		if noChanges(plans) {
			break
		}
		pause = time.Minute
	}
	t.checkSettled(plans)
	t.checkPayments()
	o := outcome{violations: t.violations, exceptions: t.exceptions, posts: len(t.posts), timeline: trace, rules: t.rules}
	t.locked(func(time.Duration) {
		t.truth()
		o.ends = t.ending()
	})
	return o
}

// noChanges says whether plans show neither changes nor errors.
func noChanges(plans map[*resource]planned) bool {
	for _, plan := range plans {
		if plan.Action != fakecore.NoOp || len(plan.Errors) > 0 {
			return false
		}
	}
	return true
}

// run is one run of terraform apply. It returns the plans.
func (t *terraform) run(r round, number int) map[*resource]planned {
	<-time.After(r.Pause)
	for _, b := range t.blocks {
		b.replace, b.unprovisioned = false, false
		b.written = number >= b.From
	}
	for _, change := range r.Changes {
		t.make(change)
	}
	t.schedule(r.Events)
	t.trace.at(t.now(), "TERRAFORM", "run %d", number+1)
	saved, last := t.state(), len(t.aliases)
	plans := t.plan(r)
	t.checkStaysSettled(plans, !r.NoRefresh)
	for _, plan := range plans {
		if len(plan.Errors) > 0 || r.PlanOnly {
			t.restore(saved)
			t.locked(func(time.Duration) { // What only these plans have seen is forgotten, too.
				t.lists = slices.DeleteFunc(t.lists, func(l listing) bool { return l.process > last })
			})
			return plans
		}
	}
	<-time.After(r.Think)
	if !noChanges(plans) || t.destroys() || slices.ContainsFunc(r.Events, func(e event) bool { return e.Before > 0 }) {
		t.apply(r, plans, number)
	}
	return plans
}

// destroys says whether objects are left that no plan of a block shows.
func (t *terraform) destroys() bool {
	return slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.removed != nil || b.Deposed != nil })
}

// make applies a change that somebody makes to a block.
func (t *terraform) make(change change) {
	if change.Block >= len(t.blocks) {
		return
	}
	b := t.blocks[change.Block]
	b.settled.ended = 0
	t.trace.at(t.now(), "SOMEBODY", "%s: block %d", change.What, b.index+1)
	switch change.What {
	case "taint":
		if b.Object != nil && !b.Object.Tainted {
			b.Object.Tainted = true
			b.begin()
		}
	case "replace":
		if b.Object != nil && !b.Object.Tainted {
			b.replace = true
		}
	case "provisioner":
		b.unprovisioned = true
	case "triggers":
		if b.Book {
			return
		}
		// If an object had no triggers before, the new ones are only recorded.
		before := cmp.Or(b.Object, b.removed)
		had := before != nil && !fakecore.AttributesOf(before.Value)["triggers"].IsNull()
		if b.Object == nil {
			b.begin()
		} else if had {
			for _, wish := range b.wishes {
				wish.fresh, wish.again, wish.retriggered = true, true, t.now()
			}
		}
		b.triggers++
	case "after", "always":
		if b.Book {
			t.moveConvertedAfter(b, change)
		}
	case "chapters":
		if b.Book {
			b.setChapters(change.Chapters)
		}
	case "keep":
		b.Keep = !b.Keep
	case "rename":
		if b.Object != nil && b.removed == nil {
			b.Object, b.removed = nil, b.Object
			b.renamed = true
			b.begin()
			for _, wish := range b.wishes {
				_, own := wish.pending(b.removed)
				wish.handedOver = own && b.Book
			}
		}
	}
}

// demandedTime is a converted_after, in seconds since 1970, and when a book was given it.
type demandedTime struct {
	after int64
	since time.Duration
}

// moveConvertedAfter sets the converted_after of a book, or takes it away.
func (t *terraform) moveConvertedAfter(b *resource, change change) {
	before := b.after
	b.after = nil
	if change.What == "after" {
		b.after = new(epoch + int64((t.now()-change.Ago)/time.Second))
	}
	if before != nil && b.after != nil && *before == *b.after {
		return // It is the same second.
	}
	b.times = slices.DeleteFunc(b.times, func(d demandedTime) bool { return d.since == t.now() }) // no run has had it
	if b.after != nil {
		b.times = append(b.times, demandedTime{*b.after, t.now()})
	}
	for _, wish := range b.wishes {
		wish.fresh = true
		t.locked(func(now time.Duration) {
			wish.again = t.outdated(wish, now)
			switch {
			case !wish.again || t.convertedSince(wish, now):
				wish.retriggered = 0
			default: // An earlier time than one before asks for no other conversion.
				wish.retriggered = b.times[slices.IndexFunc(b.times, func(d demandedTime) bool { return d.after >= *wish.after })].since
			}
		})
	}
}

// outdated says whether all lists show a date before converted_after.
func (w *world) outdated(wish *wish, now time.Duration) bool {
	c := w.chapters[wish.chapter]
	if wish.after == nil {
		return false
	}
	for _, at := range []time.Duration{now - w.oldest(), now} {
		date := c.show(at).date
		if date == 0 || date >= *wish.after {
			return false
		}
	}
	return true
}

// convertedSince says whether a conversion, or its date, is not before converted_after, also if no list shows it yet.
func (w *world) convertedSince(wish *wish, now time.Duration) bool {
	c := w.chapters[wish.chapter]
	return slices.ContainsFunc(c.jobs, func(j *job) bool {
		at := j.dated()
		ours := j.process > 0 && j.Ends == endsWell && epoch+int64(j.at/time.Second) >= *wish.after
		return ours || at >= 0 && at <= now && epoch+int64((at+c.first.ClockSkew)/time.Second) >= *wish.after
	})
}

// setChapters sets the chapter_ids of a book. Nothing is kept of a chapter that is not among them.
func (r *resource) setChapters(chapters []int) {
	before := r.covered()
	r.Chapters = chapters
	for _, wish := range r.covered() {
		if !slices.Contains(before, wish) {
			wish.fresh, wish.ticket = true, 0
			wish.again = wish.again || r.after != nil
		}
	}
}
