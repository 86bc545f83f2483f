package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var noticingTable = &table{title: "Noticing that a conversion has ended", rows: [][]string{{
	"conversion takes", "at a time", "in turn", "delay", "longest delay", "of the length", "looks", "looks per hour",
}}}

// TestNoticing lets conversions end at any time between two looks, in fake time.
func TestNoticing(t *testing.T) {
	const (
		mostShare = 0.15
		mostDelay = 1500 * time.Millisecond
		mostLooks = 250 // in an hour, at a project whose conversions began together
	)
	waits := []wait{{10 * time.Second, 50, 1}, {2 * time.Minute, 1, 1}}
	if measuring() {
		waits = everyWait()
	}
	for _, w := range waits {
		var found noticing
		synctest.Test(t, func(t *testing.T) { found = w.notice(t) })
		if found.longest > mostDelay && found.share > mostShare {
			t.Errorf("%+v: noticed %s, %.1f %%, after the end", w, found.longest, 100*found.share)
		}
		if found.looksInAnHour > mostLooks && w.turns == 1 {
			t.Errorf("%+v: %d looks in an hour", w, found.looksInAnHour)
		}
		noticingTable.add(w.length, w.waiters, w.turns, seconds(found.mean), seconds(found.longest),
			fmt.Sprintf("%.0f %%", 100*found.share), found.looks, found.looksInAnHour)
	}
}

// everyWait are the rows of the table.
func everyWait() (waits []wait) {
	for _, length := range []time.Duration{
		time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
	} {
		waits = append(waits, wait{length, 1, 1}, wait{length, 50, 1})
	}
	return append(waits, wait{10 * time.Minute, 30, 3})
}

// wait waits for conversions of about the same length, so many at a time, in so many turns. Those of
// one turn begin together. With several turns, conversions begin at equal distances.
type wait struct {
	length         time.Duration
	waiters, turns int
}

// noticing is how late the end of a conversion is noticed in the worst case, also as a share of its
// length, and how many lists were requested.
type noticing struct {
	mean, longest        time.Duration
	share                float64
	looks, looksInAnHour int
}

// notice waits for conversions of one project, or of several projects if one has few.
func (w wait) notice(t *testing.T) (found noticing) {
	service, random := mockserver.New(), rand.New(rand.NewPCG(1, 2))
	lengths := map[string][]time.Duration{} // by project
	for number := range max(1, 30/w.waiters) {
		project := mockserver.Project{ID: fmt.Sprint(number)}
		for number := range w.waiters * w.turns {
			takes := time.Duration(float64(w.length) * (0.9 + 0.1*random.Float64()))
			lengths[project.ID] = append(lengths[project.ID], takes)
			project.Chapters = append(project.Chapters, mockserver.Chapter{
				ID: fmt.Sprint(number), Conversions: []mockserver.Conversion{{Takes: takes}},
			})
		}
		service.AddProject(project)
	}
	engine := newEngine(t, service.Network(), 50)

	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	convert := func(projectID string, chapter int) {
		asked := time.Now()
		_, err := engine.Convert(t.Context(), conversion.Desired{ProjectID: projectID, ChapterID: fmt.Sprint(chapter), Wish: conversion.WantsConversion, New: true})
		if err != nil {
			t.Error(err)
		}
		takes := lengths[projectID][chapter]
		delay := time.Since(asked) - takes
		mu.Lock()
		defer mu.Unlock()
		found.mean += delay / time.Duration(len(lengths)*w.waiters*w.turns)
		found.longest = max(found.longest, delay)
		found.share = max(found.share, float64(delay)/float64(takes))
	}
	for projectID := range lengths {
		for waiter := range w.waiters {
			all.Go(func() {
				if w.turns > 1 {
					time.Sleep(w.length * time.Duration(waiter) / time.Duration(w.waiters))
				}
				for turn := range w.turns {
					convert(projectID, waiter*w.turns+turn)
				}
			})
		}
	}
	all.Wait()
	found.looks, found.looksInAnHour = looks(service.Journal(), began)
	return found
}

// looks counts the lists of the project that was listed most often, in all and in the first hour.
func looks(journal []mockserver.Entry, began time.Time) (most, mostInAnHour int) {
	all, inAnHour := map[string]int{}, map[string]int{}
	for _, entry := range journal {
		if entry.Operation != mockserver.ListChapters {
			continue
		}
		all[entry.ProjectID]++
		most = max(most, all[entry.ProjectID])
		if entry.At.Sub(began) <= time.Hour {
			inAnHour[entry.ProjectID]++
			mostInAnHour = max(mostInAnHour, inAnHour[entry.ProjectID])
		}
	}
	return most, mostInAnHour
}

// newEngine is an engine whose requests go to the service, and that converts so many chapters of projects at a time.
func newEngine(t *testing.T, network *mockserver.Network, parallel int) *conversion.Engine {
	t.Helper()
	t.Cleanup(network.Close)
	address, err := audioprojects.ParseBaseURL("http://localhost", false)
	if err != nil {
		t.Fatal(err)
	}
	client := audioprojects.New(audioprojects.Config{
		BaseURL: address, APIKey: mockserver.Secret, RequestTimeout: 30 * time.Second, MaxRetries: 4, Transport: &http.Transport{DialContext: network.DialContext},
	})
	free := func(string, audioprojects.Chapter, *int64) (func(context.Context, error), error) {
		return func(context.Context, error) {}, nil
	}
	return conversion.NewEngine(conversion.Options{Client: client, Reserve: free, ParallelConversions: parallel})
}
