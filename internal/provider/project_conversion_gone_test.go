package provider_test

import (
	"maps"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// A chapter that is deleted while its conversion is pending must not lock the book. Two lists and the project tell that it is
// gone, and the conversion is forgotten.
func TestProjectConversion_pendingChapterDeleted(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(3, mockserver.Conversion{Takes: 5 * time.Minute})
	deleted := func(t *testing.T, arguments map[string]any, test func(*core)) {
		t.Helper()
		withBook(t, chapters, func(c *core) {
			maps.Copy(c.Arguments, arguments)
			c.Apply(fakecore.InterruptedAfter(time.Minute))
			c.wantNumbers(map[string]int{"chapter_count": 3, "pending": 3})
			c.service.RemoveChapter("book", "chapter-2")
			test(c)
			c.wantSent(3)
		})
	}
	t.Run("while others are pending", func(t *testing.T) {
		t.Parallel()
		deleted(t, nil, func(c *core) {
			plan := c.Plan()
			c.wantBook(plan.Screen, "update", []string{`Chapters are gone`, waitsForTwo}, nil)
			c.wantNumbers(map[string]int{"chapter_count": 2, "pending": 2})
			c.wantBook(c.ApplyPlan(plan), "update", []string{`Chapters are gone`, waitsForTwo}, nil)
			c.wantNumbers(map[string]int{"chapter_count": 2, "pending": 0})
			c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		})
	})
	t.Run("and the object replaced", func(t *testing.T) {
		t.Parallel()
		deleted(t, nil, func(c *core) {
			time.Sleep(time.Hour)
			c.Object.Tainted = true
			c.wantBook(c.Apply(), "replace", []string{`Adopted at no cost in project "book": 2 chapters`, `Chapters are gone`}, nil)
			c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		})
	})
	t.Run("and it is named", func(t *testing.T) {
		t.Parallel()
		deleted(t, map[string]any{"chapter_ids": []string{"chapter-1", "chapter-2", "chapter-3"}}, func(c *core) {
			time.Sleep(time.Hour)
			c.wantBook(c.Plan().Screen, "", nil, []string{"Chapters that the project does not have"})
			c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-3"}
			c.wantBook(c.Apply(), "update", nil, nil)
			c.wantNumbers(map[string]int{"chapter_count": 2, "pending": 0})
			c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		})
	})
}

// Two lists at the beginning of an apply may lack a chapter whose conversion is pending. That stays pending until a refresh finds it gone.
func TestProjectConversion_pendingChapterNotListedAtFirst(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute})
	withBook(t, chapters, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.wantNumbers(map[string]int{"pending": 2})
		plan := c.Plan()
		c.service.RemoveChapter("book", "chapter-2")
		c.ApplyPlan(plan)
		c.wantNumbers(map[string]int{"pending": 1})
		c.service.AddChapter("book", chapters[1])
		c.Apply(fakecore.InterruptedAfter(10 * time.Minute))
		c.wantSent(2)
	})
}

// A chapter with a pending conversion is gone, and another one has come, so that the book has as many as before.
func TestProjectConversion_pendingChapterGoneAndAnotherNew(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), func(c *core) {
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.service.RemoveChapter("book", "chapter-2")
		c.service.AddChapter("book", mockserver.Chapter{ID: "chapter-9", Conversions: []mockserver.Conversion{oneMinute}})
		shown := c.Plan().Screen
		c.wantNumbers(map[string]int{"pending": 2})
		if !shown.Says(`The provider waits no longer for the conversions of them that were pending: - "chapter-2"`) {
			t.Errorf("got %s", shown)
		}
	})
}

// A chapter that the plan has named may be gone when the plan is applied, or lists may lack it. Two lists tell that, and the screen does.
func TestProjectConversion_plannedChapterGone(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, mockserver.Conversion{Takes: time.Minute}), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-2", "Another text.")
		plan := c.Plan()
		c.service.RemoveChapter("book", "chapter-2")
		shown := c.ApplyPlan(plan)
		c.wantBook(shown, "update", []string{`Conversions that cost credits in project "book": 1 chapter, 13 characters at most`, `Chapters are gone`}, nil)
		if !shown.Says(`The plan has named these chapters, and two lists lack them`) || !shown.Says(`- "chapter-2"`) {
			t.Errorf("the screen does not name the chapter: %s", shown)
		}
		c.wantSent(3)
		c.wantBook(c.Plan().Screen, "no-op", []string{`Chapters are gone`}, nil)
		c.wantNumbers(map[string]int{"chapter_count": 2})
	})
}

// A chapter may be new, or the first list of an apply may have lacked it. A later one shows that its text is not converted, and the screen says so.
func TestProjectConversion_laterChapter(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, mockserver.Conversion{Takes: time.Minute}), func(c *core) {
		time.AfterFunc(30*time.Second, func() {
			c.service.AddChapter("book", mockserver.Chapter{ID: "chapter-3", Name: "Chapter 3", Text: "A new text."})
		})
		shown := c.Apply()
		c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 2 chapters, 76 characters at most`, "Chapters are new"}, nil)
		if !shown.Says(`- "Chapter 3" (chapter-3)`) {
			t.Errorf("the screen does not name the chapter: %s", shown)
		}
		c.wantSent(2)
		c.wantBook(c.Plan().Screen, "update", []string{`Conversions that cost credits in project "book": 1 chapter, 11 characters at most`}, nil)
	})
}

// Lists may lack a chapter for a while, after its conversion was requested. Until a refresh finds it gone, the next apply waits for that
// conversion, and pays for no other.
func TestProjectConversion_pendingChapterNotListed(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute})
	withBook(t, chapters, func(c *core) {
		time.AfterFunc(time.Minute, func() { c.service.RemoveChapter("book", "chapter-2") })
		shown := c.Apply()
		c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 2 chapters, 76 characters at most`}, []string{
			`Unable to convert 1 of the 2 chapters of project "book"`,
		})
		if !shown.Says("The next apply waits for that conversion if the service lists the chapter again.") {
			t.Errorf("the screen does not say what follows: %s", shown)
		}
		c.wantNumbers(map[string]int{"pending": 1})
		c.service.AddChapter("book", chapters[1])
		c.Apply(fakecore.InterruptedAfter(10 * time.Minute))
		c.wantNumbers(map[string]int{"pending": 1})
		c.wantSent(2)
	})
}
