package conversion

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// longestPostponement is how long a service may answer 429 to the request for one conversion before the desired state fails. The
// service may mean by it that there are no credits left.
const longestPostponement = 10 * time.Minute

// request asks the service for a conversion, which costs credits. So from then on the conversion stays pending until its
// end is known, however the session ends. If the service has not begun, the session looks again before it asks again.
func (s *session) request() error {
	s.leaveRoom() // The conversion before has ended.
	s.unlimitTime()
	if !s.projectAtRest {
		err := s.engine.refuseBusyProject(s.ctx, s.project)
		if err != nil {
			return err
		}
		s.projectAtRest = true
	}
	waited, err := s.enterRoom()
	if err != nil {
		return err
	}
	isOld := waited || time.Since(s.outcome.ListedAt) > requestAge
	if isOld && s.outcome.Problem != nil {
		return s.takeNext(time.Time{})
	}
	if isOld {
		return s.takeFrom(time.Time{}, s.engine.clock.now().Add(-requestAge))
	}
	shown := s.seen[len(s.seen)-1].chapter
	answered, err := s.engine.options.Reserve(s.desired, shown)
	if err != nil {
		return err
	}
	s.project.follow() // The service may begin before it answers.
	s.engine.room.sends()
	said, err := s.engine.options.Client.ConvertChapter(s.ctx, s.desired.ProjectID, s.desired.ChapterID)
	answered(s.ctx, err)
	return s.noteAnswer(shown, said, err)
}

// noteAnswer notes what the service has answered to the request.
func (s *session) noteAnswer(shown audioprojects.Chapter, said audioprojects.Text, err error) error {
	room := s.engine.room
	mayRun := err == nil || errors.Is(err, audioprojects.Ambiguous)
	s.hasEntered, s.inRoom, s.projectAtRest = false, mayRun, false
	room.answered(mayRun)
	isOfRate := audioprojects.RetryAfter(err) > 0 && !audioprojects.LimitsConversions(err)
	isFull := errors.Is(err, audioprojects.RateLimited) && !isOfRate && room.refused(err)
	pending := &operation{ResumeToken: ResumeToken{Phase: PhaseNoSign, Baseline: baselineOf(shown), Triggers: s.desired.Triggers}, answer: err}
	switch {
	case isFull && endsInTime(s.ctx, err):
		return nil // Once more, when there is room.
	case s.mayRequestLater(err):
		s.outcome.Postponed = err
		s.reportProgress()
		pause := secondLook
		if !audioprojects.ConversionNotFound(err) {
			pause = max(audioprojects.RetryAfter(err), interval(time.Since(s.postponedSince)))
		}
		room.slows()
		again := time.Now().Add(pause)
		err = s.takeFrom(again, again.Add(-requestAge)) // Somebody else may have had the chapter converted.
		if err != nil {
			return err
		}
		// A service that allows one request at a time would refuse the one that comes right after the list, for ever.
		return sleepUntil(s.ctx, s.outcome.ListedAt.Add(requestAge/2))
	case errors.Is(err, audioprojects.Rejected):
		// The chapter may be converting already: for somebody else, or for us, by an earlier request or because a proxy sent it twice.
		s.outcome.WaitedFor = true
		if s.pending != nil {
			pending.Triggers = s.pending.Triggers
		}
	case mayRun:
		pending.RequestedAtUnix = new(time.Now().Unix())
		s.outcome.Requested = append(s.outcome.Requested, s.desired.Characters(shown))
		s.outcome.WaitedFor, s.outcome.Answer = false, said
		if err == nil {
			pending.Phase = PhaseAccepted
		}
	default:
		return err
	}
	s.after = s.engine.clock.now()
	s.makePending(pending)
	s.reportProgress()
	return nil
}

// mayRequestLater reports whether to request again later, after an error that means that the service has not begun: it limits requests,
// there was no connection, or it does not find the chapter that a list has.
func (s *session) mayRequestLater(unsent error) bool {
	if audioprojects.ConversionNotFound(unsent) && s.notFoundAt.IsZero() { // What is refused costs nothing.
		s.notFoundAt = time.Now()
		return true
	}
	hasNotBegun := errors.Is(unsent, audioprojects.RateLimited) || errors.Is(unsent, audioprojects.NotSent)
	if !hasNotBegun || audioprojects.Distrusted(unsent) {
		return false
	}
	if s.postponedSince.IsZero() {
		s.postponedSince = time.Now()
	}
	return time.Since(s.postponedSince) < longestPostponement && endsInTime(s.ctx, unsent)
}

// enterRoom takes a place for the conversion, and keeps it until the service has answered.
func (s *session) enterRoom() (waited bool, err error) {
	if s.hasEntered {
		return false, nil
	}
	waited, err = s.engine.room.enter(s.ctx, func(refusal error) {
		s.outcome.Postponed = refusal
		s.reportProgress()
	})
	s.hasEntered = err == nil
	if waited {
		s.postponedSince = time.Time{}
	}
	return waited, err
}

// occupyRoom counts a conversion that may run already, and leaveRoom what the session has in the room.
func (s *session) occupyRoom() {
	if !s.inRoom {
		s.engine.room.joins()
		s.inRoom = true
	}
}

func (s *session) leaveRoom() {
	if s.inRoom {
		s.engine.room.leaves()
		s.inRoom = false
	}
}

// refuseBusyProject returns a [*ProjectBusyError] while something is under way in the whole project, and its chapters rest: somebody else
// may have all of it converted, or the service is still creating it (section 3.1). Like a request, it goes by a record that is at most 1 s
// old. A conversion that this process follows, or has followed within the last window, explains the state as well.
func (e *Engine) refuseBusyProject(ctx context.Context, p *project) error {
	if p.isFollowed() {
		return nil
	}
	record, err := p.records.at(ctx, e.clock.now().Add(-requestAge))
	if err != nil || !showsState(record.err) { // A record that the service does not show says nothing.
		return err
	}
	state := underWay(record.shows)
	if state == nil {
		return nil
	}
	return &ProjectBusyError{*state}
}

// showsState reports whether a project's record was read, at least without some chapters.
func showsState(err error) bool {
	return err == nil || errors.As(err, new(*audioprojects.IncompleteError))
}

// underWay is the state of a project that says that something is under way in all of it; nil if there is none. A chapter that is busy
// explains the project's state, and is waited for itself.
func underWay(shown audioprojects.Project) *audioprojects.Text {
	if !shown.Busy() || slices.ContainsFunc(shown.Chapters, audioprojects.Chapter.Busy) {
		return nil
	}
	return shown.State
}

// ProjectUnderWay is the state of a project in which an apply requests nothing: the project is created, or somebody else has all of it
// converted. Nil if there is none, or if the service does not show it. It goes by a record at most 10 s old.
func (e *Engine) ProjectUnderWay(ctx context.Context, projectID string) *audioprojects.Text {
	record, err := e.project(projectID).records.at(ctx, e.clock.now().Add(-refreshAge))
	if err != nil || !showsState(record.err) {
		return nil
	}
	return underWay(record.shows)
}
