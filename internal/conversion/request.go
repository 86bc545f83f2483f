package conversion

import (
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// longestPostponement is how long a request is sent again for one chapter, while the service cannot be reached, or does
// not find the chapter.
const longestPostponement = 10 * time.Minute

// betweenRequests is the shortest time between an answer to the request for a chapter, whatever that was, and the next request for it.
const betweenRequests = time.Second

// request asks the service for a conversion, which costs credits. So from then on the conversion stays pending until
// its end is known, however the session ends. First it is permitted, and then it takes the list by which it goes,
// because a permit may take long. It goes by a list that was requested after the last answer to a request for the
// chapter, whatever that was: the service may have received what it refused.
func (s *session) request() error {
	latest, wanted := s.seen[len(s.seen)-1], s.desired
	isForTriggers := wanted.Memory.ForTriggers && !s.hasEnded() // One for them has ended, and text is left.
	wanted.Memory.ForTriggers = isForTriggers || wanted.wantsOwn(s.pending.token())
	most := wanted.characters(latest.chapter)
	if err := wanted.keepsTo(most); err != nil {
		return err
	}
	known := s.engine.chapter(s.desired)
	hasSeenEnd := s.pending != nil && s.pending.startedHere // of its own, or of the one that it has joined
	if first := known.openEnd(); first != nil && !hasSeenEnd {
		return &OpenEndError{first}
	}
	if s.refusedRuns > 1 { // The service, or a gateway that sends a request twice, might be paid without end.
		return &RefusedTwiceError{s.refusal}
	}
	answered := known.lastAnswer()
	if err := s.obtainPermit(answered); err != nil {
		return err
	}
	oldest := requestAge + s.engine.pace().Interval()
	isOld := time.Since(s.outcome.ListedAt) > oldest || latest.askedAt.Before(answered)
	s.freshSince = latestOf(s.freshSince, latestOf(answered, s.engine.clock.now().Add(-oldest)))
	switch {
	case isOld && (s.outcome.Problem != nil || s.project.lists.isInTrouble()):
		s.permit.Return() // It holds up no request of another project.
		return s.takeNext(time.Time{})
	case isOld:
		return s.takeFrom(time.Time{}, s.freshSince)
	}
	switch wait := s.permit.Ready(latest.askedAt); {
	case wait > 0:
		return sleepUntil(s.ctx, time.Now().Add(wait)) // And then the list may be old.
	case s.permit.IsUsed():
		return nil
	}
	if s.desired.refusals.holds(s.desired.ChapterID) { // Others were refused meanwhile.
		s.permit.Return()
		return nil
	}
	shown := latest.chapter
	settle, err := s.engine.options.Reserve(s.desired.ProjectID, shown, most)
	if err != nil {
		return err
	}
	s.project.follow() // The service may begin before it answers.
	said, err := s.engine.options.Client.ConvertChapter(s.ctx, s.desired.ProjectID, s.desired.ChapterID, s.permit)
	settle(s.ctx, err)
	known.answer(s.engine.clock.now())
	s.desired.refusals.answered(s.desired.ChapterID, err)
	return s.handleAnswer(shown, most, said, err)
}

// obtainPermit waits until the conversion may be requested: until the refusals of others let it, until a second after
// the last answer to a request for the chapter, and until its turn in the pace. While it waits for others, it holds
// nothing that they may need.
func (s *session) obtainPermit(answered time.Time) error {
	isHeld := s.desired.refusals.holds(s.desired.ChapterID)
	if !s.permit.IsUsed() && !isHeld {
		return nil
	}
	s.permit.Return()
	s.permit.Leave() // The conversion before has ended.
	s.unlimitTime()
	onWait := func(refusal error) {
		s.outcome.Postponed = refusal
		s.reportProgress()
	}
	if err := s.desired.refusals.admit(s.ctx, s.desired.ChapterID, onWait); err != nil {
		return err
	}
	if err := sleepUntil(s.ctx, answered.Add(betweenRequests)); err != nil {
		return err
	}
	permit, err := s.engine.options.Client.PermitConversion(s.ctx, s.desired.ProjectID, s.desired.ChapterID, s.wasRefused, onWait)
	if err != nil {
		return err
	}
	s.permit = permit
	return s.engine.refuseBusyProject(s.ctx, s.project)
}

// handleAnswer does what follows from the service's answer to the request.
func (s *session) handleAnswer(shown audioprojects.Chapter, most *int64, said audioprojects.Text, err error) error {
	sent := &operation{answer: err, ResumeToken: ResumeToken{
		Phase: PhaseUnconfirmed, Origin: Requested, Answer: Lost, RequestedAtUnix: time.Now().Unix(), Baseline: baselineOf(shown),
		Triggers: s.desired.Triggers, ForCreation: s.isForCreation(),
	}}
	switch {
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		s.permit.Run()
		s.outcome.Requested = append(s.outcome.Requested, most)
		s.outcome.WaitedFor, s.outcome.Answer = false, said
		if err == nil {
			sent.Phase, sent.Answer = PhaseAccepted, Accepted
		}
	case errors.Is(err, audioprojects.Rejected) && !s.isFirstNotFound(err):
		// The chapter may be converting already: for somebody else, or for us, by an earlier request or because a proxy sent it twice.
		s.outcome.WaitedFor = true
		sent.asJoined()
	default:
		if !errors.Is(err, audioprojects.NotSent) {
			sent.asJoined()
			s.unasked = sent
		}
		return s.postpone(err)
	}
	s.askedAt = s.engine.clock.now()
	s.freshSince = s.askedAt
	s.watch(sent)
	s.reportProgress()
	return nil
}

// postpone makes the session request again later, after an error that means that the service has not begun. The pace
// waits for a service that is busy, until it has accepted nothing for long. The session itself waits where there is no
// connection, or the service does not find the chapter that a list has. The error is the given one if it is of no use
// to wait.
func (s *session) postpone(unsent error) error {
	isBusy := errors.Is(unsent, audioprojects.AtCapacity) || errors.Is(unsent, audioprojects.RateLimited)
	isUnsent := errors.Is(unsent, audioprojects.NotSent) && !audioprojects.HandshakeFailed(unsent)
	isNotFound := audioprojects.ConversionNotFound(unsent)
	s.wasRefused = isBusy
	switch {
	case isBusy:
		s.postponedSince = time.Time{} // It is neither.
	case s.postponedSince.IsZero():
		s.postponedSince = time.Now()
	}
	waited := time.Since(s.postponedSince)
	isOver := isBusy && s.engine.pace().IsStuck() || !isBusy && waited >= longestPostponement
	if isOver || !isBusy && !isUnsent && !isNotFound {
		return unsent
	}
	s.outcome.Postponed = unsent
	s.reportProgress()
	if isBusy {
		return nil
	}
	pause := interval(waited)
	if isNotFound {
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
