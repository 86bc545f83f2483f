package conversion

import (
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// longestPostponement is how long a service may answer 429 to the request for one conversion before the desired state fails. The
// service may mean by it that there are no credits left.
const longestPostponement = 10 * time.Minute

// betweenRequests is the shortest time between an answer to the request for a chapter, whatever that was, and the next request for it.
const betweenRequests = time.Second

// request asks the service for a conversion, which costs credits. So from then on the conversion stays pending until its
// end is known, however the session ends. Where the service limits the rate, one request after the other takes the list that it needs and
// is sent, so that they share lists. After an answer, whatever that was, the next request for the chapter is sent a second later at the
// earliest, by a list that was requested after that answer: the service may have received what it refused.
func (s *session) request() error {
	if s.desired.refusals.holds(s.desired.ChapterID) {
		s.giveUp() // The chapter that decides may wait for them.
	}
	if err := s.desired.refusals.admit(s.ctx, s.desired.ChapterID); err != nil {
		return err
	}
	known := s.engine.chapter(s.desired)
	answered := known.lastAnswer()
	if err := sleepUntil(s.ctx, answered.Add(betweenRequests)); err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.takeTurn(); err != nil {
		return err
	}
	latest, oldest := s.seen[len(s.seen)-1], s.engine.oldestForRequest()
	isOld := time.Since(s.outcome.ListedAt) > oldest || latest.askedAt.Before(answered)
	s.freshSince = latestOf(s.freshSince, latestOf(answered, s.engine.clock.now().Add(-oldest)))
	switch {
	case isOld && (s.outcome.Problem != nil || s.project.lists.isInTrouble()):
		s.giveUp() // It holds up no request of another project.
		return s.takeNext(time.Time{})
	case isOld:
		late := time.AfterFunc(lateAnswer, s.turn.Pass)
		defer late.Stop()
		return s.takeFrom(time.Time{}, s.freshSince)
	}
	if s.desired.refusals.holds(s.desired.ChapterID) { // Others were refused meanwhile.
		s.giveUp()
		return nil
	}
	shown := latest.chapter
	most := s.desired.characters(shown)
	settle, err := s.engine.options.Reserve(s.desired.ProjectID, shown, most)
	if err != nil {
		return err
	}
	s.project.follow() // The service may begin before it answers.
	client, place := s.engine.options.Client, s.place
	said, err := client.ConvertChapter(s.ctx, s.desired.ProjectID, s.desired.ChapterID, audioprojects.Conversion{
		NotAfter:  s.outcome.ListedAt.Add(oldest + client.Rate().Interval()),
		Sent:      func() { place.Sent(); s.turn.Pass() },
		OthersRun: func() bool { return s.engine.running.Running() > 0 },
	})
	settle(s.ctx, err)
	if !errors.Is(err, audioprojects.Late) { // It was not sent.
		known.answer(s.engine.clock.now())
	}
	s.desired.refusals.answered(s.desired.ChapterID, err)
	return s.handleAnswer(shown, most, said, err)
}

// oldestForRequest is the greatest age of a list on which a request is based. Where the service limits the rate, more requests share a
// list, because it takes the place of one of them.
func (e *Engine) oldestForRequest() time.Duration {
	const sharing, longest = 10, 2 * requestAge
	return max(requestAge, min(sharing*e.options.Client.Rate().Interval(), longest))
}

// queue is what waits beside those that wait for an end. While requests wait for their turn, those have lists, too.
func (e *Engine) queue() queue {
	least := shortestInterval
	if e.requests.AreTaken() {
		least = e.oldestForRequest()
	}
	return queue{isTight: e.running.IsLimited(), least: least}
}

// prepare waits for a place for the conversion.
func (s *session) prepare() error {
	if s.isPrepared {
		return nil
	}
	s.place.Leave() // The conversion before has ended.
	s.unlimitTime()
	place, err := s.engine.running.Enter(s.ctx, func(refusal error) {
		s.outcome.Postponed = refusal
		s.reportProgress()
	})
	s.place, s.isPrepared = place, err == nil
	if err != nil {
		return err
	}
	return s.engine.refuseBusyProject(s.ctx, s.project)
}

// takeTurn waits for the turn to request, where the rate is limited.
func (s *session) takeTurn() error {
	isOpen := s.engine.options.Client.Rate().Interval() == 0
	if isOpen || s.turn.IsHeld() {
		return nil
	}
	wasRefused := errors.Is(s.outcome.Postponed, audioprojects.RateLimited)
	turn, err := s.engine.requests.Take(s.ctx, wasRefused)
	s.turn = turn
	return err
}

// giveUp gives back the place and the turn of a request that is not sent.
func (s *session) giveUp() {
	s.turn.Pass()
	if s.isPrepared {
		s.place.Leave()
		s.isPrepared = false
	}
}

// handleAnswer does what follows from the service's answer to the request.
func (s *session) handleAnswer(shown audioprojects.Chapter, most *int64, said audioprojects.Text, err error) error {
	if errors.Is(err, audioprojects.Late) { // It is its turn still, and the chapter may have changed.
		return s.takeFrom(time.Time{}, s.engine.clock.now())
	}
	s.turn.Pass()
	s.isPrepared = false
	sent := &operation{ResumeToken: ResumeToken{Phase: PhaseUnconfirmed, Baseline: baselineOf(shown), Triggers: s.desired.Triggers}, answer: err}
	switch {
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		s.place.Accepted()
		sent.RequestedAtUnix = new(time.Now().Unix())
		s.outcome.Requested = append(s.outcome.Requested, most)
		s.outcome.WaitedFor, s.outcome.Answer = false, said
		if err == nil {
			sent.Phase = PhaseAccepted
		}
	case errors.Is(err, audioprojects.AtCapacity):
		s.place.Refused(err)
		return s.postpone(err)
	case errors.Is(err, audioprojects.Rejected) && !s.isFirstNotFound(err):
		s.place.Leave()
		// The chapter may be converting already: for somebody else, or for us, by an earlier request or because a proxy sent it twice.
		s.outcome.WaitedFor = true
		if s.pending != nil {
			sent.Triggers = s.pending.Triggers
		}
	default:
		s.place.Leave()
		return s.postpone(err)
	}
	s.askedAt = s.engine.clock.now()
	s.freshSince = s.askedAt
	s.watch(sent)
	s.reportProgress()
	return nil
}

// postpone makes the session request again later, after an error that means that the service has not begun. The pace of the requests
// waits for a service that limits them. The session itself waits where there is no connection, or the service does not find the chapter
// that a list has. The error is the given one if it is of no use to wait.
func (s *session) postpone(unsent error) error {
	if s.postponedSince.IsZero() {
		s.postponedSince = time.Now()
	}
	waitsForAnEnd := errors.Is(unsent, audioprojects.AtCapacity) && s.engine.running.Running() > 0
	if waitsForAnEnd {
		s.postponedSince = time.Time{}
	}
	isLimited := errors.Is(unsent, audioprojects.AtCapacity) || errors.Is(unsent, audioprojects.RateLimited)
	isUnsent := errors.Is(unsent, audioprojects.NotSent) && !audioprojects.HandshakeFailed(unsent)
	isNotFound := audioprojects.ConversionNotFound(unsent)
	isOver := !waitsForAnEnd && time.Since(s.postponedSince) >= longestPostponement
	if isOver || !isLimited && !isUnsent && !isNotFound {
		return unsent
	}
	s.outcome.Postponed = unsent
	s.reportProgress()
	pause := interval(time.Since(s.postponedSince))
	switch {
	case isLimited:
		return nil
	case isNotFound:
		pause = SecondLook
	}
	again := time.Now().Add(pause)
	return s.takeFrom(again, again.Add(-requestAge)) // Somebody else may have had the chapter converted.
}

// isFirstNotFound reports whether the service does not find the chapter whose conversion is requested, or what that needs, for the first
// time. What is refused costs nothing, so it is asked once more.
func (s *session) isFirstNotFound(err error) bool {
	if !audioprojects.ConversionNotFound(err) || !s.notFoundAt.IsZero() {
		return false
	}
	s.notFoundAt = time.Now()
	return true
}
