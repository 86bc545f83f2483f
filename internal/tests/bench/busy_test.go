package bench

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

var busyTable = &table{title: "Services that refuse", rows: [][]string{{
	"conversions", "at a time", "the service", "time", "ideal", "measured", "of the ideal", "refused", "most in a second",
}}}

// load is a book of conversions at a service that refuses some requests.
type load struct {
	count, parallel int
	takes           time.Duration
	service         string
	habits          mockserver.Habits
	refuses         func() refuses // nil: only what the habits refuse
	ideal           time.Duration
	model           float64 // of the ideal, as in the model of the pace, or where that has none, as was measured
	tested          bool    // by every run of the tests
	byTheClock      bool
}

// refuses is with which status a request is refused, by the time since the first one, and with which Retry-After; 0: it is not.
type refuses func(r *http.Request, at time.Duration) (status int, retryAfter string)

func ofConversions(refuse refuses) refuses {
	return func(r *http.Request, at time.Duration) (int, string) {
		if !strings.HasSuffix(r.URL.Path, "/convert") {
			return 0, ""
		}
		return refuse(r, at)
	}
}

func listsUnavailable(each int) refuses {
	lists := 0
	return func(r *http.Request, _ time.Duration) (int, string) {
		if r.Method == http.MethodGet {
			lists++
		}
		if r.Method == http.MethodGet && lists%each == 0 {
			return http.StatusServiceUnavailable, "1"
		}
		return 0, ""
	}
}

func gateway(perSecond, burst float64, retryAfter string) refuses {
	left, before := burst, time.Duration(0)
	return func(_ *http.Request, at time.Duration) (int, string) {
		left, before = min(burst, left+(at-before).Seconds()*perSecond), at
		if left < 1-1e-9 {
			return http.StatusTooManyRequests, retryAfter
		}
		left--
		return 0, ""
	}
}

func byChance(share float64, retryAfter string) refuses {
	random := rand.New(rand.NewPCG(1, 2))
	return func(*http.Request, time.Duration) (int, string) {
		if random.Float64() < share {
			return http.StatusTooManyRequests, retryAfter
		}
		return 0, ""
	}
}

func until(end time.Duration) refuses {
	return func(_ *http.Request, at time.Duration) (int, string) {
		if at < end {
			return http.StatusTooManyRequests, ""
		}
		return 0, ""
	}
}

func loads() []load {
	const s = time.Second
	gatewayOf := func(perSecond, burst float64, retryAfter string) func() refuses {
		return func() refuses { return ofConversions(gateway(perSecond, burst, retryAfter)) }
	}
	chance := func(share float64, retryAfter string) func() refuses {
		return func() refuses { return ofConversions(byChance(share, retryAfter)) }
	}
	down := func(end time.Duration) func() refuses { return func() refuses { return ofConversions(until(end)) } }
	runs := func(most int, code string) mockserver.Habits {
		return mockserver.Habits{AtATime: most, AtATimeCode: code}
	}
	return []load{
		{count: 60, parallel: 50, takes: 3 * s, service: "five a second", refuses: gatewayOf(5, 1, ""), ideal: 15 * s, model: 1.45, tested: true, byTheClock: true},
		{count: 60, parallel: 50, takes: 3 * s, service: "five a second, names a pause of 1 s", refuses: gatewayOf(5, 1, "1"), ideal: 15 * s, model: 1.45, tested: true},
		{count: 60, parallel: 50, takes: 3 * s, service: "five a second, lists count, names a pause of 1 s", refuses: func() refuses { return gateway(5, 1, "1") }, ideal: 15 * s, model: 1.9, tested: true},
		{count: 60, parallel: 50, takes: 3 * s, service: "five a second, lists count", refuses: func() refuses { return gateway(5, 1, "") }, ideal: 15 * s, model: 2.1},
		{count: 100, parallel: 50, takes: 3 * s, service: "five a second, five at once", refuses: gatewayOf(5, 5, ""), ideal: 23 * s, model: 0.99},
		{count: 1000, parallel: 50, takes: 3 * s, service: "five a second", refuses: gatewayOf(5, 1, ""), ideal: 203 * s, model: 1.53},
		{count: 1000, parallel: 50, takes: 3 * s, service: "five a second, names a pause of 1 s", refuses: gatewayOf(5, 1, "1"), ideal: 203 * s, model: 1.4},
		{count: 60, parallel: 50, takes: 3 * s, service: "twenty a second, five at once", refuses: gatewayOf(20, 5, ""), ideal: 6 * s, model: 1.17},
		{count: 100, parallel: 50, takes: 3 * s, service: "one in two seconds", refuses: gatewayOf(0.5, 1, ""), ideal: 203 * s, model: 1.65},
		{count: 40, parallel: 20, takes: 4 * s, service: "refuses each tenth by chance", refuses: chance(0.1, ""), ideal: 8 * s, model: 1.19, tested: true, byTheClock: true},
		{count: 40, parallel: 20, takes: 4 * s, service: "refuses each tenth by chance, names a pause of 1 s", refuses: chance(0.1, "1"), ideal: 8 * s, model: 1.9},
		{count: 100, parallel: 50, takes: 3 * s, service: "refuses each tenth by chance", refuses: chance(0.1, ""), ideal: 6 * s, model: 1.75},
		{count: 100, parallel: 50, takes: 3 * s, service: "refuses three of ten by chance", refuses: chance(0.3, ""), ideal: 6 * s, model: 4.72},
		{count: 60, parallel: 50, takes: 3 * s, service: "refuses all for 20 s", refuses: down(20 * s), ideal: 26 * s, model: 1.5},
		{count: 60, parallel: 50, takes: 3 * s, service: "refuses all for 600 s", refuses: down(600 * s), ideal: 606 * s, model: 1.02},
		{count: 60, parallel: 50, takes: 3 * s, service: "runs five, and gives no code", habits: runs(5, "none"), ideal: 36 * s, model: 1.25, tested: true, byTheClock: true},
		{count: 60, parallel: 50, takes: 3 * s, service: "runs two, and gives no code", habits: runs(2, "none"), ideal: 90 * s, model: 1.33},
		{count: 60, parallel: 50, takes: 60 * s, service: "runs five, and gives no code", habits: runs(5, "none"), ideal: 720 * s, model: 1.15},
		{count: 60, parallel: 50, takes: 60 * s, service: "runs twenty, and gives no code", habits: runs(20, "none"), ideal: 180 * s, model: 1.07},
		{count: 60, parallel: 50, takes: 3 * s, service: "runs two, and says so", habits: runs(2, ""), ideal: 90 * s, model: 1.1},
		{count: 60, parallel: 50, takes: 3 * s, service: "runs ten, and says so", habits: runs(10, ""), ideal: 18 * s, model: 1.1, tested: true},
		{count: 60, parallel: 50, takes: 3 * s, service: "runs twenty, and says so", habits: runs(20, ""), ideal: 9 * s, model: 1.1},
		{count: 60, parallel: 20, takes: 3 * s, service: "answers each fifth list with 503 and a pause of 1 s", refuses: func() refuses { return listsUnavailable(5) }, ideal: 9 * s, model: 1.6},
		{count: 500, parallel: 200, takes: 3 * s, service: "refuses nothing", ideal: 9 * s, model: 1.2},
	}
}

// gatekeeper refuses requests in front of the service.
type gatekeeper struct {
	service *mockserver.Server
	refuses refuses

	mu      sync.Mutex
	began   time.Time
	refused int
	sent    []time.Time // conversions
}

func (g *gatekeeper) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	now := time.Now()
	if g.began.IsZero() {
		g.began = now
	}
	if strings.HasSuffix(r.URL.Path, "/convert") {
		g.sent = append(g.sent, now)
	}
	status, retryAfter := 0, ""
	if g.refuses != nil {
		status, retryAfter = g.refuses(r, now.Sub(g.began))
	}
	if status != 0 {
		g.refused++
	}
	g.mu.Unlock()
	time.Sleep(50 * time.Millisecond)
	if status == 0 {
		g.service.ServeHTTP(rw, r)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	if retryAfter != "" {
		rw.Header().Set("Retry-After", retryAfter)
	}
	rw.WriteHeader(status)
	_, _ = io.WriteString(rw, `{"detail":{"status":"system_busy","message":"Try again."}}`) // The client may have gone.
}

// most is the greatest number of requests for conversions in one second.
func (g *gatekeeper) most() (most int) {
	for i, first := range g.sent {
		count := 0
		for _, at := range g.sent[i:] {
			if at.Sub(first) < time.Second {
				count++
			}
		}
		most = max(most, count)
	}
	return most
}

// refusals are those of the gatekeeper, and those of the service itself.
func (g *gatekeeper) refusals() int {
	count := g.refused
	for _, entry := range g.service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			count++
		}
	}
	return count
}

func (l load) open() *gatekeeper {
	service := mockserver.New()
	project := mockserver.Project{ID: "book"}
	for i := range l.count {
		project.Chapters = append(project.Chapters, mockserver.Chapter{ID: fmt.Sprint(i), Conversions: []mockserver.Conversion{{Takes: l.takes}}})
	}
	service.AddProject(project)
	service.SetHabits(l.habits)
	g := &gatekeeper{service: service}
	if l.refuses != nil {
		g.refuses = l.refuses()
	}
	return g
}

func (l load) add(clock string, took time.Duration, g *gatekeeper) (ofIdeal float64) {
	ofIdeal = took.Seconds() / l.ideal.Seconds()
	busyTable.add(l.count, cmp.Or(l.parallel, 50), l.takes.String()+" each; "+l.service, clock, seconds(l.ideal), seconds(took), ratio(ofIdeal), g.refusals(), g.most())
	return ofIdeal
}

// TestBusy converts a book at services that refuse some requests, in fake time.
func TestBusy(t *testing.T) {
	for _, l := range loads() {
		if !l.tested && !measuring() {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			g := l.open()
			engine := newEngine(t, mockserver.NewNetwork(g), l.parallel)
			began := time.Now()
			book := conversion.Project{ProjectID: "book", Template: conversion.Desired{Wish: conversion.WantsText, New: true}, All: true, Progress: func(...conversion.ChapterStatus) {}}
			for _, chapter := range engine.ConvertProject(t.Context(), book).Chapters {
				if chapter.Err != nil {
					t.Error(chapter.Err)
				}
			}
			ofIdeal := l.add("fake", time.Since(began), g)
			most := 1.1*l.model + 3/l.ideal.Seconds() // The ends are noticed a little later, and who is refused is chance.
			if ofIdeal > most {
				t.Errorf("%d of %s, %s: %.2f of the ideal, want %.2f; %d refused", l.count, l.takes, l.service, ofIdeal, most, g.refusals())
			}
		})
	}
}

// BenchmarkBusy does the same for some services by the clock, with a real CLI.
func BenchmarkBusy(b *testing.B) {
	for _, l := range loads() {
		if !l.byTheClock {
			continue
		}
		b.Run(strings.ReplaceAll(l.service, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				g := l.open()
				terraform := newCLI(b, ours, clitest.StartService(b, g.service, g))
				terraform.WriteFile("main.tf", fmt.Sprintf("provider \"audioprojects\" {\n  parallel_conversions = %d\n}\n", l.parallel)+strings.ReplaceAll(wholeBook(1), "project-0", "book"))
				took := terraform.run("apply", "-auto-approve")
				ofIdeal := l.add("real", took, g)
				if ofIdeal > 1.6+4/l.ideal.Seconds() {
					b.Errorf("%s: %.2f of the ideal", l.service, ofIdeal)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
