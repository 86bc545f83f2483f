package conversion

import "time"

const (
	// progressInterval is the least time between two reports of a book's progress. After longestSilence, the next look is reported, whatever it
	// has shown.
	progressInterval = 2 * time.Second
	longestSilence   = 30 * time.Second
)

// ProjectProgress is how far a book is.
type ProjectProgress struct {
	// Chapters is the number of all chapters. Adopted are those that needed no conversion, and the others are queued, converting,
	// converted or failed.
	Chapters, Adopted, Queued, Converting, Converted, Failed int
	// Characters is how much text the conversions of this book have converted, with the running ones as far as they say,
	// and CharactersTotal what all of them will. Both are 0 if the service does not count.
	Characters, CharactersTotal int64
	// Ended are the chapters that have been converted, or have failed, since the last report.
	Ended  []ProjectChapter
	Waited time.Duration
}

// note changes what the progress reports. That is told at once, but not too often: what is held back is told with the next look.
func (b *projectRun) note(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	if silence := time.Since(b.reported); silence >= longestSilence || b.changed && silence >= progressInterval {
		b.reportProgress()
	}
}

// reportProgress reports how far the book is. The caller holds b.mu.
func (b *projectRun) reportProgress() {
	progress := ProjectProgress{Chapters: len(b.chapters), Ended: b.ended, Waited: time.Since(b.began)}
	for _, chapter := range b.chapters {
		progress.CharactersTotal = Sum(progress.CharactersTotal, chapter.characters)
		switch chapter.state {
		case adopted:
			progress.Adopted++
		case queued:
			progress.Queued++
		case converting:
			progress.Converting++
			progress.Characters = Sum(progress.Characters, int64(float64(chapter.characters)*float64(chapter.percent)/100))
		case converted:
			progress.Converted++
			progress.Characters = Sum(progress.Characters, chapter.characters)
		case failed:
			progress.Failed++
		}
	}
	b.reported, b.changed, b.ended = time.Now(), false, nil
	if b.book.Progress != nil {
		b.book.Progress(progress)
	}
}
