package conversion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// demandsOf returns the demands for all chapters of a book, in the service's order. Those that its list lacks come last: that proves
// nothing. The plan and the apply get them by the same rule, so that an apply pays for no chapter that its plan has not named. If
// a list fails, the demands that are known are returned with the error.
func (e *Engine) demandsOf(ctx context.Context, book Project, mode mode, notBefore time.Time) (demands []Demand, refused, err error) {
	listed, refused, err := e.witnesses(ctx, book, mode, notBefore)
	named, added, ids := map[string]Demand{}, book.excepted(), []string(nil)
	for _, demand := range book.Demands {
		named[norm.NFC.String(demand.ChapterID)] = demand
	}
	for _, id := range slices.Concat(listed, slices.Sorted(maps.Keys(named)), e.HandedOver(book.ProjectID)) {
		id = norm.NFC.String(id) // Terraform writes ids in this form, so a chapter has one key whoever names it
		demand, isNamed := named[id]
		if added[id] || !isNamed && book.Others == nil {
			continue
		}
		if !isNamed {
			demand = *book.Others
		}
		demand.ProjectID, demand.ChapterID = book.ProjectID, id
		demands, ids, added[id] = append(demands, e.withHandedOver(demand)), append(ids, id), true
	}
	grown := fingerprint(ids) != book.Known
	for i := range demands {
		if _, isNamed := named[demands[i].ChapterID]; grown && !isNamed {
			demands[i].Date = nil // It may be new, and a new chapter has none.
		}
	}
	return demands, refused, err
}

// witnesses returns the ids of the chapters that a project has. If they are not the known ones, the list and the project's own record
// say so together, because a list may lack some; both are asked at once if nothing is known. If the service refuses the record, two
// lists do.
func (e *Engine) witnesses(ctx context.Context, book Project, mode mode, notBefore time.Time) (ids []string, refused, err error) {
	var record *listing
	asked := make(chan error, 1)
	askRecord := func() {
		var err error
		record, err = e.patiently(ctx, e.poller(feed{book.ProjectID, true}), mode, notBefore)
		asked <- err
	}
	if book.Others != nil && book.Known == "" {
		go askRecord()
	}
	list, err := e.patiently(ctx, e.listsOf(book.ProjectID), mode, notBefore)
	if err != nil {
		return nil, nil, err
	}
	ids = list.ids()
	switch {
	case book.Others == nil, book.Known != "" && book.Known == Fingerprint(book.ofOthers(list.chapters)):
		return ids, nil, nil
	case book.Known != "":
		go askRecord()
	}
	refused = <-asked
	switch {
	case refused != nil && !refusesRecord(refused):
		return ids, nil, refused
	case refused == nil:
		return append(ids, record.ids()...), nil, nil
	}
	again := list.requestedAt.Add(secondLook)
	second, err := e.listsOf(book.ProjectID).at(ctx, again, again)
	if err == nil {
		err = second.err
	}
	if err != nil {
		return ids, nil, err
	}
	return append(ids, second.ids()...), refused, nil
}

// excepted are the ids of Except, as Terraform writes them.
func (b Project) excepted() map[string]bool {
	excepted := make(map[string]bool, len(b.Except))
	for _, id := range b.Except {
		excepted[norm.NFC.String(id)] = true
	}
	return excepted
}

// ofOthers are the chapters that Others is about.
func (b Project) ofOthers(chapters []audioprojects.Chapter) []audioprojects.Chapter {
	if len(b.Except) == 0 {
		return chapters
	}
	excepted := b.excepted()
	return slices.DeleteFunc(slices.Clone(chapters), func(chapter audioprojects.Chapter) bool {
		return excepted[norm.NFC.String(chapter.ChapterID)]
	})
}

func (l *listing) ids() (ids []string) {
	for _, chapter := range l.chapters {
		ids = append(ids, chapter.ChapterID)
	}
	return ids
}

// Fingerprint tells sets of chapters apart, in 16 letters. So much fits where thousands of ids do not.
func Fingerprint(chapters []audioprojects.Chapter) string {
	return fingerprint((&listing{chapters: chapters}).ids())
}

func fingerprint(ids []string) string {
	quoted := make([]string, 0, len(ids))
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(norm.NFC.String(id)))
	}
	slices.Sort(quoted)
	sum := sha256.Sum256([]byte(strings.Join(quoted, ",")))
	return hex.EncodeToString(sum[:8])
}
