package conversion

// The tables of the engine. In each, the first rule that fits decides. No other code returns the step [Request]. The README of this package
// shows them in words, and says what its columns mean. CONTRIBUTING says how to change a rule.

// tables are all of them, in the order in which one reads them.
var tables = []*table{start, begin, follow, ended}

var start = &table{name: "start", about: "What is a look about?", rules: []rule{{
	number: 10, situations: []string{"text is unconverted"},
	when: not{pending}, then: begin,
}, {
	number: 20, situations: []string{"it failed between two applies"},
	when: failedBefore, then: begin, reason: Error,
}, {
	number: 40, situations: []string{"it fails"},
	when: otherwise{}, then: follow,
}}}

var begin = &table{name: "begin", about: "Nothing is pending, or what was has come to nothing.", rules: []rule{{
	number: 100, situations: []string{"somebody else converts", "it failed and somebody else converts"},
	when: allOf{documentedBusy, not{wantsNothing}}, then: Join,
	before: "counts move while a conversion runs",
}, {
	number: 120, situations: []string{"nothing is unconverted", "it failed and somebody has had it converted", "somebody elses conversion fails and nothing is unconverted"},
	when: satisfied, then: Done, reason: NothingLeft,
	before: "what has nothing unconverted costs nothing",
}, {
	number: 130, situations: []string{"a list shows old counts", "what was left is converted and as much is added"},
	when: allOf{followsText, convertedBefore, not{forTriggers}}, then: Request, sameFor: onceInAPlan,
}, {
	number: 140, situations: []string{"text is unconverted", "it failed between two applies"},
	when: otherwise{}, then: Request,
}}}

var follow = &table{name: "follow", about: "A conversion is pending.", rules: []rule{{
	number: 200, situations: []string{"it runs in a word of its own", "it shows an error and goes on"},
	when: allOf{busy, anyOf{documentedBusy, not{proof}}}, then: Wait, reason: Converting,
	before: "a service that tries again shows an error while the chapter converts",
}, {
	number: 210, situations: []string{"it fails", "it fails beside converted text"},
	when: newError, then: Failed, reason: Error, sameFor: atASecondLook,
	before: "an error message says more than counts, because services convert a part and then fail",
}, {
	number: 230, situations: []string{"all text is converted"},
	when: allOf{proof, not{failureShown}, not{textLeft}, not{textRemoved}, not{busy}}, then: ended,
	before: "where no text is left, a later look could show nothing else",
}, {
	number: 240, situations: []string{"a list is older than an edit", "it ends in a word of its own", "some text stays unconverted", "it ends in a word of its own beside an old error"},
	when: allOf{proof, not{failureShown}, anyOf{convertedText, not{textLeft}, not{errorShown}}}, then: ended, sameFor: afterTheWindow,
	before: "proof says more than that it was busy",
}, {
	number: 250, situations: []string{"nothing was unconverted and nothing proves the end", "nothing was unconverted and its date is that of the request", "it rests in its middle and its progress moves"},
	when: allOf{seenBusy, not{failureShown}, not{wasUnconverted}, not{noneConverted}, anyOf{dateMoved, not{hadDate}}}, then: ended, sameFor: atASecondLook,
	before: "what was seen busy has run, and a date may be that of the request",
}, {
	number: 260, situations: []string{"nothing was unconverted and only a date shows it"},
	when: allOf{dateMoved, not{failureShown}, not{wasUnconverted}, not{noneConverted}}, then: ended, sameFor: afterTheWindow,
	before: "where nothing was unconverted, nothing could be converted",
}, {
	number: 280, situations: []string{"it fails with the words of last time", "it fails in a word", "refused because it is busy and the other one is cancelled", "it fails and its message is dismissed", "its date is new and nothing is converted", "nothing was unconverted and its date stays"},
	when: anyOf{seenBusy, dateMoved, failureShown}, then: Failed, reason: Nothing, sameFor: afterTheWindow,
	before: "what was seen busy is not lost, and was not refused",
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
	when: unconfirmed, then: begin, reason: StillUnconfirmed, sameFor: afterTheWindow,
	before: "an old error beside a lost answer says nothing",
}, {
	number: 330, situations: []string{"it fails as fast as the last one"},
	when: allOf{anyOf{wasUnconverted, neverConverted, hadDate}, errorShown}, then: Unknown, reason: OldError, sameFor: afterTheWindow,
	before: "it may have failed again, so fast that no list was in time",
}, {
	number: 340, situations: []string{"accepted and not shown for minutes", "never converted and not counted"},
	when: anyOf{wasUnconverted, neverConverted}, then: Wait, reason: NotShown,
	before: "an end would show as converted text, or as a first date, however long the queue is",
}, {
	number: 350, situations: []string{"nothing was unconverted and no newer date shows"},
	when: hadDate, then: Unknown, reason: NoSign, sameFor: afterFiveMinutes,
}, {
	number: 360, situations: []string{"nothing was unconverted and nothing shows"},
	when: otherwise{}, then: ended, reason: NoSign, sameFor: afterTheWindow,
}}}

var ended = &table{name: "ended", about: "It has ended well, as far as is known.", afterEnd: true, rules: []rule{{
	number: 400, situations: []string{"the triggers have changed since", "it was joined and the triggers have changed since", "two resources want two conversions"},
	when: newTriggers, then: Request, reason: NewTriggers,
	before: "the triggers want a conversion of our own, whatever the text is",
}, {
	number: 410, situations: []string{"somebody elses conversion leaves text", "text stays and nobody saw the end"},
	when: allOf{anyOf{joined, allOf{not{startedHere}, followsText}}, not{textConverted}, not{wantsNothing}}, then: Request, reason: UnconvertedText, sameFor: onceInAPlan,
}, {
	number: 430, situations: []string{"some text stays after an interruption", "edited between two applies and nobody follows the text", "somebody elses conversion leaves text that nobody wants", "cancelled after a part and its date stays", "edited twice during a conversion and as long as before"},
	when: otherwise{}, then: Done,
}}}
