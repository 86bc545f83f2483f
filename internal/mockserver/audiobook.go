package mockserver

import "time"

// Audiobook is a complete project for a demonstration: a short book, invented for it, of which nothing is converted
// yet; its snapshot is of an older text. The conversion of a chapter takes from 0.9 to 1.4 times the typical duration.
func Audiobook(typical time.Duration) Project {
	return Project{
		ID:                      "audiobook",
		Name:                    "The Lamplighter of Port Esker",
		DefaultTitleVoiceID:     "voice-harbour-master",
		DefaultParagraphVoiceID: "voice-storyteller",
		DefaultModelID:          "model-narration",
		VolumeNormalization:     true,
		QualityCheckOn:          true,
		QualityPreset:           "high",
		ApplyTextNormalization:  "apply_english",
		PronunciationDictionaryVersions: []PronunciationDictionaryVersion{{
			VersionID:        "dictionary-esker-2",
			DictionaryID:     "dictionary-esker",
			DictionaryName:   "Names of the Esker coast",
			VersionName:      "second reading",
			CreatedBy:        "editor@example.com",
			CreationTimeUnix: 1735689600,
		}},
		Title:                   new("The Lamplighter of Port Esker"),
		Author:                  new("Ottilie Marrow"),
		Description:             new("A harbour town loses its light, and one apprentice rows out to fetch it back."),
		Genres:                  []string{"Adventure", "Sea stories"},
		CoverImageURL:           new("https://example.com/covers/port-esker.png"),
		TargetAudience:          new("all ages"),
		Language:                new("en"),
		ContentType:             new("Novella"),
		OriginalPublicationDate: new("2024-11-05"),
		MatureContent:           new(false),
		ISBNNumber:              new("978-0-00-000000-2"),
		Fiction:                 new("fiction"),
		CreationMeta:            &CreationMeta{Progress: 100, Status: "finished", Type: "blank"},
		Snapshots:               []ProjectSnapshot{{ID: "first-reading", Name: "First reading", CreatedAt: time.Date(2024, time.November, 5, 9, 0, 0, 0, time.UTC)}},
		Chapters: []Chapter{
			{ID: "chapter-1", Name: "The Dark Lantern", Text: darkLantern, Conversions: lasting(typical, 10)},
			{ID: "chapter-2", Name: "A Borrowed Boat", Text: borrowedBoat, Conversions: lasting(typical, 8)},
			{ID: "chapter-3", Name: "Crossing", Text: crossing, Conversions: lasting(typical, 12)},
			{ID: "chapter-4", Name: "The Keeper of Gull Rock", Text: keeper, Conversions: lasting(typical, 9)},
			{ID: "chapter-5", Name: "Every Window Lit", Text: everyWindow, Conversions: lasting(typical, 7)},
		},
	}
}

// lasting is a conversion that takes some tenths of the typical duration, so that chapters that start together do not
// end together.
func lasting(typical time.Duration, tenths int) []Conversion {
	return []Conversion{{Queued: typical / 5, Takes: typical * time.Duration(tenths) / 10}}
}

const darkLantern = `On the night the great lantern of Port Esker went out, nobody noticed for almost an hour. The fog had come in thick as fleece, and people who cannot see the end of their own street do not look for lights at sea.

It was Wren who noticed. She was eleven, she was the lamplighter's apprentice, and she had been counting the slow sweep of the beam across her ceiling ever since she was too small to count anything else. Tonight she reached four hundred and twelve, and the four hundred and thirteenth did not come.`

const borrowedBoat = `The lamplighter lay in bed with a fever and spoke to people who were not there. "The glass," he told the wardrobe. "She keeps a spare glass on Gull Rock. Ask her nicely."

Wren did not ask anybody anything. She took the oilskin from its hook, the bread from its tin, and from the steps below the fish market a boat that belonged to the mayor. She left a note under a stone: Borrowed, not stolen. Back by breakfast.`

const crossing = `It is two miles from Port Esker to Gull Rock, and all of them were against her. The tide pulled to the left. The wind pushed to the right. Wren rowed between them as one walks between two quarrelling aunts, looking at neither.

In the middle of the bay the fog lifted, just for a moment, like the corner of a curtain. She saw stars above and stars below and could not have said which of them were wet. Then she heard a bell that nobody was ringing.

"I am not afraid of you," said Wren to the bell. The bell, after thinking about it, was silent.`

const keeper = `The keeper of Gull Rock was older than her lighthouse and better maintained. "You took your time," she said, and put a bowl of soup in front of Wren before she asked her name.

The spare glass stood under the stairs, wrapped in a wedding dress. "I never found another use for it," said the keeper. Whether she meant the glass or the dress, Wren was too polite to ask.`

const everyWindow = `She smelled the town before she saw it: tar, bread and smoke. And then she did see it, because in every window of Port Esker somebody had put a candle, a lamp, a lit pipe, a jar of glow-worms. The whole hill shone like one great, untidy lantern.

"We found your note," said the mayor, who was standing up to his knees in the water. "We thought you might need something to steer by." It was, as promised, just time for breakfast.`
