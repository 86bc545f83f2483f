package conversion_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// elapsed is a time after the beginning, to a tenth of a second.
func elapsed(after time.Duration) string {
	text := after.Round(100 * time.Millisecond).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func reasonInWords(t *testing.T, reason conversion.Reason) string {
	words, isKnown := map[conversion.Reason]string{
		conversion.NoReason:         "",
		conversion.NothingLeft:      "",
		conversion.NoSign:           "",
		conversion.ErrorStays:       "",
		conversion.OldError:         "",
		conversion.Refused:          "",
		conversion.Converting:       "it runs",
		conversion.NotShown:         "it is not shown yet",
		conversion.Confirming:       "a second look must show the same",
		conversion.Watching:         "this may change",
		conversion.Error:            "the one before has failed",
		conversion.Nothing:          "the one before has converted nothing",
		conversion.StillUnconfirmed: "the one before shows no sign",
		conversion.UnconvertedText:  "text is unconverted",
		conversion.NewTriggers:      "the triggers want one of our own",
		conversion.WantedAnew:       "it is wanted anew",
	}[reason]
	if !isKnown {
		t.Errorf("a situation has no words for %q", reason)
	}
	if words == "" {
		return ""
	}
	return ": " + words
}

func endInWords(outcome conversion.Outcome, err error) string {
	left, _ := outcome.Chapter.Statistics.Unconverted()
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		return "error: out of time"
	case err != nil:
		return "error: " + err.Error()
	case outcome.Decision.Reason == conversion.NothingLeft:
		return "success, and nothing was to be done"
	case outcome.Decision.Reason == conversion.NoSign:
		return "success, with a warning: no sign of a conversion"
	case outcome.Decision.Reason == conversion.ErrorStays:
		return "success, with a warning: the old error stays"
	case left > 0:
		return fmt.Sprintf("success, with a warning: %d characters are unconverted", left)
	case outcome.NoNewerDate:
		return "success, with a warning: no newer date"
	default:
		return "success"
	}
}

func phaseInWords(phase conversion.Phase) string {
	return cmp.Or(map[conversion.Phase]string{
		conversion.PhaseUnconfirmed: "no sign of it so far",
		conversion.PhaseAccepted:    "accepted",
		conversion.PhaseRunning:     "seen running",
	}[phase], string(phase))
}

func memoryInWords(kept conversion.Memory) string {
	var says []string
	if kept.Pending != nil {
		of := "its own"
		if kept.Pending.Joined() {
			of = "somebody else's"
		}
		says = append(says, "a pending conversion, "+of+": "+phaseInWords(kept.Pending.Phase))
	}
	if kept.Remainder.Unconverted > 0 {
		says = append(says, fmt.Sprintf("that the service leaves %d characters", kept.Remainder.Unconverted))
	}
	return cmp.Or(strings.Join(says, ", and "), "nothing of it")
}
