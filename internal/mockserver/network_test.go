package mockserver_test

import (
	"errors"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestClosingTheNetworkEndsHangingRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		network := s.Network()
		s.client = &http.Client{Transport: &http.Transport{DialContext: network.DialContext}}
		s.url = "http://mock"
		s.Inject(mockserver.Fault{Hang: time.Hour})
		start := time.Now()
		time.AfterFunc(time.Second, network.Close)
		if got := s.request(http.MethodGet, "/v1/projects", ""); got.err == nil {
			t.Error("the request was answered")
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("ended after %s, want 1s", got)
		}
		if got := s.request(http.MethodGet, "/v1/projects", ""); !errors.Is(got.err, syscall.ECONNREFUSED) {
			t.Errorf("afterwards: got %v, want connection refused", got.err)
		}
	})
}

func TestManyClientsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Audiobook(10*time.Second))
		s.Inject(mockserver.Fault{Operation: mockserver.GetProject, Skip: 5, Status: http.StatusBadGateway})
		ask := func(method, path string) (status int) {
			got := s.request(method, path, "")
			if got.err != nil {
				t.Error(got.err)
			}
			return got.status
		}
		var clients sync.WaitGroup
		for range 20 {
			clients.Go(func() {
				ask(http.MethodPost, "/v1/projects/audiobook/chapters/chapter-3/convert")
				ask(http.MethodGet, "/v1/projects/audiobook")
				time.Sleep(5 * time.Second)
				if got := ask(http.MethodGet, "/v1/projects/audiobook/chapters"); got != http.StatusOK {
					t.Errorf("list: got %d, want 200", got)
				}
			})
		}
		clients.Go(func() { s.EditChapter("audiobook", "chapter-1", "Cut.") })
		clients.Wait()
		if got := s.Conversions("audiobook", "chapter-3"); got != 1 {
			t.Errorf("conversions: got %d, want 1", got)
		}
		if got := len(s.Journal()); got != 60 {
			t.Errorf("requests: got %d, want 60", got)
		}
	})
}

func TestANetworkThatIsDownRefusesConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		network := s.Network()
		defer network.Close()
		s.client = &http.Client{Transport: &http.Transport{DialContext: network.DialContext}}
		s.url = "http://mock"
		for _, down := range []bool{false, true, false} {
			network.Down(down)
			synctest.Wait() // until the client has noticed that its connection has ended
			if got := s.request(http.MethodGet, "/v1/projects", ""); errors.Is(got.err, syscall.ECONNREFUSED) != down {
				t.Errorf("down is %v: got error %v", down, got.err)
			}
		}
	})
}
