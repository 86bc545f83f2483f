package conversion_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	project = "book"
	chapter = "one"
)

// bench is an engine and the service it works against, inside one synctest bubble.
type bench struct {
	*testing.T
	service *mockserver.Server
	client  *audioprojects.Client
	engine  *conversion.Engine
}

// inBubble runs a test in fake time, against a service with one chapter whose
// conversions go as given.
func inBubble(t *testing.T, habits mockserver.Habits, one mockserver.Chapter, test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		one.ID = chapter
		service.AddProject(mockserver.Project{ID: project, Chapters: []mockserver.Chapter{one}})
		service.SetHabits(habits)
		network := service.Network()
		defer network.Close()
		b := &bench{T: t, service: service}
		b.client = connect(t, network.DialContext)
		defer b.client.CloseIdleConnections()
		b.engine = conversion.NewEngine(b.client)
		test(b)
	})
}

func connect(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) *audioprojects.Client {
	t.Helper()
	address, err := audioprojects.ParseBaseURL("http://localhost", false)
	if err != nil {
		t.Fatal(err)
	}
	client, err := audioprojects.New(audioprojects.Config{
		BaseURL:        address,
		APIKey:         mockserver.Secret,
		RequestTimeout: 30 * time.Second,
		MaxRetries:     4,
		Transport:      &http.Transport{DialContext: dial},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// convert asks for the conversion of the chapter within an hour.
func (b *bench) convert(change ...func(*conversion.Request)) (conversion.Outcome, error) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	return b.convertWithin(ctx, change...)
}

func (b *bench) convertWithin(ctx context.Context, change ...func(*conversion.Request)) (conversion.Outcome, error) {
	request := conversion.Request{ProjectID: project, ChapterID: chapter}
	for _, apply := range change {
		apply(&request)
	}
	return b.engine.Convert(ctx, request)
}

// wantPaid checks how many conversions the service has accepted.
func (b *bench) wantPaid(want int) {
	b.Helper()
	if got := b.service.Conversions(project, chapter); got != want {
		b.Errorf("conversions accepted by the service: got %d, want %d", got, want)
	}
}

// takes is a chapter whose conversions go like this one.
func takes(conversions ...mockserver.Conversion) mockserver.Chapter {
	return mockserver.Chapter{Text: "Once upon a time.\n\nThe end.", Conversions: conversions}
}

func resume(ticket *conversion.Ticket) func(*conversion.Request) {
	return func(r *conversion.Request) { r.Resume = ticket }
}

func TestConvertStartsAndWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, mockserver.Habits{}, takes(mockserver.Conversion{Queued: 5 * time.Second, Takes: time.Minute}), func(b *bench) {
		outcome, err := b.convert()
		if err != nil {
			b.Fatal(err)
		}
		left, known := conversion.Unconverted(outcome.Chapter)
		if outcome.Ticket != nil || outcome.Started != 1 || !known || left != 0 {
			b.Errorf("got outcome %+v", outcome)
		}
		b.wantPaid(1)
	})
}
