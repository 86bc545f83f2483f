package provider

import (
	"errors"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// takenUp says what is known of a conversion after the wait for it has stopped, and what follows. It is about money, so it says
// the same of a chapter and of one in a book.
func (r conversionResult) takenUp(after sequel) (known, follows string) {
	pending, chapter := r.outcome.Pending, r.outcome.Chapter
	itLooksFirst, itWaits := after.take("looks", "waits")
	const unlessSigns = " for the conversion first, and requests one only if there is no sign of it."
	follows = itWaits + " for the conversion and requests none."
	if pending.Joined() {
		follows = itWaits + " for the conversion, and requests one only if text is still unconverted when it has ended."
	}
	switch {
	case pending.Rests(chapter):
		known, follows = "The chapter's state has not changed for an hour, so the next apply takes it that no conversion is running.", itLooksFirst+unlessSigns
	case !pending.Confirmed:
		known, follows = "It is not known yet whether the service received the request.", itLooksFirst+unlessSigns
	case pending.Failed(chapter) && !conversion.Busy(chapter):
		known = quoting("The conversion seems to have failed, and no second look has confirmed it. The service says: "+said(string(*chapter.LastConversionError))) + "\n\n"
		follows = itLooksFirst + " at the chapter first, and requests another conversion if this one has failed."
	case !pending.SeenConverting:
		known = "The service has accepted the request, and does not show the conversion yet."
		follows = itWaits + " for a sign of the conversion, and requests another only if there is none."
	case !conversion.Busy(chapter) || r.outcome.Problem != nil:
		known = "It is not clear yet whether the conversion has ended."
		follows = itWaits + " until that is clear, and requests another only if nothing was converted."
	default:
		known = "The conversion goes on at the service."
	}
	if pending.TimedOut {
		follows = itLooksFirst + unlessSigns
	}
	if errors.Is(r.err, audioprojects.NotFound) {
		known = ""
	}
	if !after.remembers {
		follows = after.next + " joins the conversion while it runs, and may request another when it has ended."
		if !pending.SeenConverting {
			follows = "Look at the chapter's state and `last_conversion_date_unix` first. " + follows
		}
	}
	return known, follows
}

// take begins sentences about what the next apply does.
func (s sequel) take(looks, waits string) (itLooks, itWaits string) {
	if s.takesUp == "" {
		return s.next + " " + looks, s.next + " " + waits
	}
	return s.takesUp + ": it " + looks, s.takesUp + ": it " + waits
}

// takenUpParagraphs are what takenUp says.
func (r conversionResult) takenUpParagraphs(after sequel) string {
	known, follows := r.takenUp(after)
	if known == "" || strings.HasSuffix(known, "\n") {
		return known + follows
	}
	return known + " " + follows
}
