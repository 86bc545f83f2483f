package conversion

import "time"

const (
	// progressInterval is the least time between two reports of a book's progress, and longestSilence the greatest.
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

// reportProgress reports until the returned function is called.
func (b *projectRun) reportProgress() (finish func()) {
	if b.book.Progress == nil {
		return func() {}
	}
	b.sendProgress()
	over, sent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sent)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		reported := time.Now()
		for {
			select {
			case <-over:
				b.sendProgress()
				return
			case <-ticker.C:
			}
			b.mu.Lock()
			due := b.changed || time.Since(reported) >= longestSilence
			b.mu.Unlock()
			if due {
				b.sendProgress()
				reported = time.Now()
			}
		}
	}()
	return func() {
		close(over)
		<-sent
	}
}

func (b *projectRun) sendProgress() {
	b.mu.Lock()
	progress := ProjectProgress{Chapters: len(b.chapters), Ended: b.ended, Waited: time.Since(b.began)}
	for _, chapter := range b.chapters {
		progress.CharactersTotal += chapter.characters
		switch chapter.state {
		case adopted:
			progress.Adopted++
		case queued:
			progress.Queued++
		case converting:
			progress.Converting++
			progress.Characters += chapter.characters * int64(chapter.percent) / 100
		case converted:
			progress.Converted++
			progress.Characters += chapter.characters
		case failed:
			progress.Failed++
		}
	}
	b.changed, b.ended = false, nil
	b.mu.Unlock()
	b.book.Progress(progress)
}
