package conversion

import (
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// demandsOf returns the demands for all chapters of a book, in the service's order. Those that its list lacks come last: that proves
// nothing. The plan and the apply get them by the same rule, so that an apply pays for no chapter that its plan has not named. If
// a list fails, the demands that are known are returned with the error.
func (e *Engine) demandsOf(ctx context.Context, book Project, mode mode, notBefore time.Time) (demands []Demand, refused, err error) {
	listed, refused, err := e.witnesses(ctx, book, mode, notBefore)
	named, added, ids := map[string]Demand{}, map[string]bool{}, []string(nil)
	for _, demand := range book.Demands {
		named[demand.ChapterID] = demand
	}
	for _, id := range slices.Concat(listed, slices.Sorted(maps.Keys(named)), e.HandedOver(book.ProjectID)) {
		demand, isNamed := named[id]
		if added[id] || book.Except[id] || !isNamed && book.Others == nil {
			continue
		}
		if !isNamed {
			demand = *book.Others
		}
		demand.ProjectID, demand.ChapterID = book.ProjectID, id
		demands, ids, added[id] = append(demands, e.withHandedOver(demand)), append(ids, id), true
	}
	grown := book.Known == nil || !book.Known(ids)
	for i := range demands {
		if _, isNamed := named[demands[i].ChapterID]; grown && !isNamed {
			demands[i].Date = nil // It may be new, and a new chapter has none.
		}
	}
	return demands, refused, err
}

// witnesses returns the ids of the chapters that a project has. If they are not the known ones, the list and the project's own record
// say so together, because a list may lack some. If the service refuses the record, two lists do.
func (e *Engine) witnesses(ctx context.Context, book Project, mode mode, notBefore time.Time) (ids []string, refused, err error) {
	list, err := e.patiently(ctx, e.listsOf(book.ProjectID), mode, notBefore)
	if err != nil {
		return nil, nil, err
	}
	ids = book.listedIn(list)
	if book.Others == nil || book.Known != nil && book.Known(ids) {
		return ids, nil, nil
	}
	record, refused := e.patiently(ctx, e.poller(feed{book.ProjectID, true}), mode, notBefore)
	switch {
	case refused == nil:
		return append(ids, book.listedIn(record)...), nil, nil
	case !audioprojects.Refused(refused):
		return ids, nil, refused
	}
	again := list.requestedAt.Add(secondLook)
	second, err := e.listsOf(book.ProjectID).at(ctx, again, again)
	if err == nil {
		err = second.err
	}
	if err != nil {
		return ids, nil, err
	}
	return append(ids, book.listedIn(second)...), refused, nil
}

// listedIn are the ids of the book's chapters in a list, in the form in which Terraform writes them, so that a chapter has one key
// whoever names it.
func (b Project) listedIn(list *listing) (ids []string) {
	for _, chapter := range list.chapters {
		if id := norm.NFC.String(chapter.ChapterID); !b.Except[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
