package conversion

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// desiredOf returns the desired states of all chapters of a project, in the service's order; those that its list lacks come last. A plan
// and its apply get them by the same rule, so that an apply pays for no chapter that its plan has not named. If a list fails, the known
// ones come with the error.
func (e *Engine) desiredOf(ctx context.Context, project Project, mode mode) (wanted []Desired, refused, err error) {
	listed, refused, err := e.witnesses(ctx, project, mode)
	named, added := map[string]Desired{}, map[string]bool{}
	wanted, ids := make([]Desired, 0, len(listed)), make([]string, 0, len(listed))
	for _, desired := range project.Desired {
		named[desired.ChapterID] = desired
	}
	for _, id := range slices.Concat(listed, slices.Sorted(maps.Keys(named)), e.HandedOver(project.ProjectID)) {
		desired, isNamed := named[id]
		if added[id] || project.Except[id] || !isNamed && project.Others == nil {
			continue
		}
		if !isNamed {
			desired = *project.Others
		}
		desired.ProjectID, desired.ChapterID = project.ProjectID, id
		wanted, ids, added[id] = append(wanted, e.withHandedOver(desired)), append(ids, id), true
	}
	grown := project.Unchanged == nil || !project.Unchanged(ids)
	for i := range wanted {
		_, isNamed := named[wanted[i].ChapterID]
		if grown && !isNamed {
			wanted[i].Date = nil // It may be new, and a new chapter has none.
		}
	}
	return wanted, refused, err
}

// witnesses returns the ids of the chapters that a project has. If they are not the known ones, the list and the project's own record
// say so together, because a list may lack some. If the record says nothing of them, two lists do.
func (e *Engine) witnesses(ctx context.Context, project Project, mode mode) (ids []string, refused, err error) {
	notBefore := e.clock.now()
	if mode == plans {
		notBefore = notBefore.Add(-refreshAge)
	}
	list, err := e.patiently(ctx, e.listsOf(project.ProjectID), mode, notBefore)
	if err != nil {
		return nil, nil, err
	}
	ids = project.listedIn(list)
	areKnown := project.Unchanged != nil && project.Unchanged(ids) && list.incomplete == nil
	if project.Others == nil || areKnown {
		return ids, nil, nil
	}
	record, refused := e.patiently(ctx, e.recordsOf(project.ProjectID), mode, notBefore)
	other := record
	switch {
	case refused != nil && !saysNothing(refused):
		return ids, nil, refused
	case refused != nil:
		again := list.requestedAt.Add(secondLook)
		err = sleepUntil(ctx, again, nil)
		if err != nil {
			return ids, nil, err
		}
		other, err = e.patiently(ctx, e.listsOf(project.ProjectID), mode, again)
		if err != nil {
			return ids, nil, err
		}
	}
	err = beyond(list, other)
	if err != nil {
		return ids, nil, err
	}
	return append(ids, project.listedIn(other)...), refused, nil
}

// listedIn are the ids of the chapters in a list that are not left out, in the form in which Terraform writes them, so that a chapter has
// one key whoever names it.
func (p Project) listedIn(list *listing) (ids []string) {
	for _, chapter := range list.chapters {
		id := norm.NFC.String(chapter.ChapterID)
		if !p.Except[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
