package conversion

var stepNames = [...]string{
	Look: "look", Join: "join", Request: "request", Wait: "wait", Done: "done", Failed: "failed", Unknown: "unknown",
}

var reasonNames = [...]string{
	NoReason: "plain", NothingLeft: "nothing left", EndedBefore: "ended before", NoSign: "no sign", Remainder: "remainder",
	Converting: "converting", NotShown: "not shown", Confirming: "confirming", Watching: "watching", Error: "error",
	OldError: "old error", Nothing: "nothing converted", Refused: "refused", NoSignBefore: "never", OpenText: "rest",
	NewTriggers: "new triggers", Outdated: "outdated",
}

func (s Step) String() string { return stepNames[s] }

func (r Reason) String() string { return reasonNames[r] }
