package simulation_test

import (
	"bytes"
	"encoding/json"
	"time"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// logged is what a session of the engine has decided after a look at a chapter, as the provider's log tells it.
type logged struct {
	ChapterID string
	Predicted bool // by a session that requests nothing
	Facts     string
	Concluded engine.Decision
	SameFor   time.Duration
	Decision  engine.Decision
}

// decisionLog reads the log of the provider, of which each write is a line.
type decisionLog func(logged)

func (tell decisionLog) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte(`"Looked at a chapter"`)) {
		return len(line), nil
	}
	var entry struct {
		ChapterID  string        `json:"chapter_id"`
		MayRequest string        `json:"may_request"`
		Facts      string        `json:"facts"`
		Concluded  engine.Step   `json:"concluded"`
		Because    engine.Reason `json:"because"`
		SameFor    string        `json:"same_for"`
		Decided    engine.Step   `json:"decided"`
		Reason     engine.Reason `json:"reason"`
	}
	err := json.Unmarshal(line, &entry)
	if err != nil {
		return 0, err
	}
	sameFor, err := time.ParseDuration(entry.SameFor)
	if err != nil {
		return 0, err
	}
	tell(logged{
		ChapterID: entry.ChapterID, Predicted: entry.MayRequest != "true", Facts: entry.Facts, SameFor: sameFor,
		Concluded: engine.Decision{Step: entry.Concluded, Reason: entry.Because},
		Decision:  engine.Decision{Step: entry.Decided, Reason: entry.Reason},
	})
	return len(line), nil
}
