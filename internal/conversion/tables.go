package conversion

// The tables of the engine. In each, the first rule that fits decides. No other code returns the step [Request]. The README of this package
// shows them in words, and says what its columns mean. CONTRIBUTING says how to change a rule.

// tables are all of them, in the order in which one reads them.
var tables = []*table{start, begin, follow, ended, endedForOthers, failed, again}

var start = &table{name: "start", about: "What is a look about?", rules: []rule{{
	number: 10, situations: []string{"text is unconverted"},
	when: not{pending}, then: begin,
}, {
	number: 20, situations: []string{"it failed between two applies"},
	when: failedBefore, then: again, reason: Error,
}, {
	number: 30, situations: []string{"another resource has lost its answer"},
	when: allOf{anyOf{fromOtherResource, allOf{isNew, not{startedHere}}}, unconfirmed, satisfied}, then: begin,
}, {
	number: 40, situations: []string{"it fails"},
	when: otherwise{}, then: follow,
}}}

var begin = &table{name: "begin", about: "Nothing is pending.", rules: []rule{{
	number: 100, situations: []string{"somebody else converts", "somebody else converts beside a date in the future"},
	when: named, then: Join,
	before: "counts and dates move while a conversion runs",
}, {
	number: 110, situations: []string{"its date is in the future"},
	when: dateUnusable, then: Failed, reason: DateUnusable,
	before: "a date in the future would look converted for ever",
}, {
	number: 120, situations: []string{"nothing is unconverted"},
	when: satisfied, then: Done, reason: NothingLeft,
	before: "what has nothing unconverted costs nothing",
}, {
	number: 130, situations: []string{"a list shows old counts", "what was left is converted and as much is added"},
	when: mayBeEdited, then: Request, sameFor: onceInAPlan,
}, {
	number: 140, situations: []string{"text is unconverted", "its date may be that of a failure"},
	when: otherwise{}, then: Request,
}}}

var follow = &table{name: "follow", about: "A conversion is pending.", rules: []rule{{
	number: 200, situations: []string{"it runs in a word of its own", "it shows an error and goes on"},
	when: allOf{busy, anyOf{named, not{proof}}}, then: Wait, reason: Converting,
	before: "a service that tries again shows an error while the chapter converts",
}, {
	number: 210, situations: []string{"it fails", "it fails beside converted text"},
	when: newError, then: failed, reason: Error, sameFor: atASecondLook,
	before: "an error message says more than a word, and need not be watched so long",
}, {
	number: 220, situations: []string{"it fails in a word", "it fails and its message is dismissed", "it fails in a word and nothing was unconverted"},
	when: allOf{anyOf{saysFailed, failureSeen}, not{convertedText}}, then: failed, reason: Error, sameFor: afterTheWindow,
	before: "services date failures, too, so that a date beside one proves nothing",
}, {
	number: 230, situations: []string{"all text is converted"},
	when: allOf{proof, not{textLeft}, not{textRemoved}, not{busy}}, then: ended,
	before: "where no text is left, a later look could show nothing else",
}, {
	number: 240, situations: []string{"a list is older than an edit", "it ends in a word of its own", "some text stays unconverted", "it ends in a word of its own beside an old error"},
	when: allOf{proof, anyOf{convertedText, not{textLeft}, not{errorShown}}}, then: ended, sameFor: afterTheWindow,
	before: "proof says more than that it was busy",
}, {
	number: 250, situations: []string{"nothing was unconverted and the old error stays"},
	when: allOf{seenBusy, not{wasUnconverted}, not{noneConverted}, errorShown}, then: ended, reason: ErrorStays, sameFor: atASecondLook,
	before: "beside an old error, the end may be its repetition",
}, {
	number: 255, situations: []string{"nothing was unconverted and nothing proves the end", "nothing was unconverted and its date is that of the request", "it rests in its middle and its progress moves"},
	when: allOf{seenBusy, not{wasUnconverted}, not{noneConverted}}, then: ended, sameFor: atASecondLook,
	before: "what was seen busy has run, and a date may be that of the request",
}, {
	number: 260, situations: []string{"nothing was unconverted and only a date shows it beside an old error"},
	when: allOf{dateMoved, not{wasUnconverted}, not{noneConverted}, errorShown}, then: ended, reason: ErrorStays, sameFor: afterTheWindow,
	before: "beside an old error, the date may be that of a failure",
}, {
	number: 270, situations: []string{"nothing was unconverted and only a date shows it"},
	when: allOf{dateMoved, not{wasUnconverted}, not{noneConverted}}, then: ended, sameFor: afterTheWindow,
	before: "where nothing was unconverted, nothing could be converted",
}, {
	number: 280, situations: []string{"it fails with the words of last time", "its date is new and nothing is converted", "refused because it is busy and the other one is cancelled"},
	when: anyOf{seenBusy, dateMoved}, then: failed, reason: Nothing, sameFor: afterTheWindow,
	before: "what was seen busy is not lost, and was not refused",
}, {
	number: 290, situations: []string{"refused because it is busy"},
	when: refusedAsBusy, then: Failed, reason: Refused, sameFor: afterTheWindow,
	before: "a list may show later that it is busy",
}, {
	number: 300, situations: []string{"refused without credits"},
	when: refused, then: Failed, reason: Refused,
	before: "a refusal is an answer",
}, {
	number: 310, situations: []string{"the answer is lost and nothing shows", "the answer is lost and an edit is no sign"},
	when: allOf{unconfirmed, startedHere}, then: Unknown, sameFor: afterTheWindow,
	before: "only the next apply may request again, as its plan says",
}, {
	number: 320, situations: []string{"the answer was lost in the last apply"},
	when: unconfirmed, then: again, reason: StillUnconfirmed, sameFor: afterTheWindow,
	before: "an old error beside a lost answer says nothing",
}, {
	number: 330, situations: []string{"it fails as fast as the last one"},
	when: allOf{endShows, errorShown}, then: Unknown, reason: OldError, sameFor: afterTheWindow,
	before: "it may have failed again, so fast that no list was in time",
}, {
	number: 340, situations: []string{"accepted and not shown for minutes", "never converted and not counted"},
	when: anyOf{wasUnconverted, neverConverted}, then: Wait, reason: NotShown,
	before: "an end would show as converted text, or as a first date, however long the queue is",
}, {
	number: 350, situations: []string{"outdated and nothing shows"},
	when: endShows, then: Unknown, sameFor: afterTheWindow,
}, {
	number: 360, situations: []string{"nothing was unconverted and nothing shows"},
	when: otherwise{}, then: ended, reason: NoSign, sameFor: afterTheWindow,
}}}

var ended = &table{name: "ended", about: "It has ended well, as far as is known.", afterEnd: true, rules: []rule{{
	number: 400, situations: []string{"the triggers have changed since", "it was joined and the triggers have changed since"},
	when: allOf{not{fromOtherResource}, newTriggers}, then: Request, reason: NewTriggers,
	before: "the triggers want a conversion, whatever the text is",
}, {
	number: 405, situations: []string{"requested before the wanted time"},
	when: tooEarly, then: Request, reason: Outdated,
	before: "it may have begun with what was to be converted before, however late it ends",
}, {
	number: 410, situations: []string{"somebody elses conversion leaves text", "some text stays after an interruption", "somebody elses conversion began before the wanted time"},
	when: anyOf{fromOtherResource, joined, allOf{not{startedHere}, anyOf{followsText, isNew}}}, then: endedForOthers,
	before: "it may have been about other text",
}, {
	number: 420, situations: []string{"the clock of the service is behind"},
	when: notNewEnough, then: Failed, reason: DateUnusable, sameFor: afterTheWindow,
}, {
	number: 430, situations: []string{"edited between two applies and nobody follows the text", "cancelled after a part and its date stays", "edited twice during a conversion and as long as before"},
	when: otherwise{}, then: Done,
}}}

var endedForOthers = &table{name: "endedForOthers", about: "It has ended well, and was somebody else's, or an earlier apply's.", afterEnd: true, rules: []rule{{
	number: 500, situations: []string{"somebody elses conversion has a date in the future"},
	when: dateUnusable, then: Failed, reason: DateUnusable,
	before: "a date in the future would look converted for ever",
}, {
	number: 510, situations: []string{"some text stays after an interruption"},
	when: allOf{wantsText, textConverted}, then: Done,
	before: "what is converted costs nothing",
}, {
	number: 520, situations: []string{"somebody elses conversion began before the wanted time"},
	when: outdated, then: Request, reason: Outdated, sameFor: afterTheWindow,
	before: "the date may lag",
}, {
	number: 530, situations: []string{"somebody elses conversion leaves text"},
	when: wantsText, then: Request, reason: UnconvertedText, sameFor: onceInAPlan,
}, {
	number: 540, situations: []string{"two resources want two conversions"},
	when: otherwise{}, then: Request, reason: NewTriggers,
}}}

var failed = &table{name: "failed", about: "It has failed while this apply followed it.", rules: []rule{{
	number: 600, situations: []string{"it fails for the old triggers", "somebody elses conversion fails and nothing is unconverted", "requested before the wanted time and it fails"},
	when: anyOf{fromOtherResource, newTriggers, tooEarly, allOf{joinedForText, satisfied}}, then: again,
}, {
	number: 610, situations: []string{"it failed between two applies"},
	when: otherwise{}, then: Failed,
}}}

var again = &table{name: "again", about: "It has failed, or nothing shows that it was received. Who pays for another?", rules: []rule{{
	number: 700, situations: []string{"it failed and somebody else converts"},
	when: named, then: Join,
	before: "counts and dates move while a conversion runs",
}, {
	number: 710, situations: []string{"it failed and its date is in the future"},
	when: dateUnusable, then: Failed, reason: DateUnusable,
	before: "a date in the future would look converted for ever",
}, {
	number: 720, situations: []string{"it failed and somebody has had it converted"},
	when: allOf{satisfied, anyOf{fromOtherResource, joinedForText, allOf{wasUnconverted, not{newTriggers}}}}, then: Done, reason: NothingLeft,
}, {
	number: 730, situations: []string{"it failed for new triggers and somebody has had it converted"},
	when: allOf{textConverted, convertedSince, not{errorShown}, not{newTriggers}, not{fromOtherResource}}, then: Done, reason: NothingLeft,
}, {
	number: 740, situations: []string{"it failed between two applies"},
	when: otherwise{}, then: Request, sameFor: onceInAPlan,
}}}
