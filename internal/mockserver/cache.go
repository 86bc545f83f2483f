package mockserver

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// Cache is a shared cache in front of a handler, such as a [Server]. It keeps the answers to GETs, for all keys.
type Cache struct {
	handler http.Handler
	keeps   time.Duration
	obeys   bool

	mu   sync.Mutex
	kept map[string]cached // by address
}

type cached struct {
	*httptest.ResponseRecorder
	at time.Time
}

// NewCache returns a cache that keeps each answer for so long. If it obeys, it asks the handler when a request says no-cache.
func NewCache(handler http.Handler, keeps time.Duration, obeys bool) *Cache {
	return &Cache{handler: handler, keeps: keeps, obeys: obeys, kept: map[string]cached{}}
}

// ServeHTTP answers one request. An answer that was kept has its Age, in seconds.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		c.handler.ServeHTTP(w, r)
		return
	}
	address := r.URL.String()
	c.mu.Lock()
	found, isKept := c.kept[address]
	c.mu.Unlock()
	age := time.Since(found.at)
	isRefused := c.obeys && r.Header.Get("Cache-Control") == "no-cache"
	if isKept && age < c.keeps && !isRefused {
		w.Header().Set("Age", strconv.Itoa(int(age/time.Second)))
	} else {
		found = cached{httptest.NewRecorder(), time.Now()}
		c.handler.ServeHTTP(found, r)
		c.mu.Lock()
		c.kept[address] = found
		c.mu.Unlock()
	}
	maps.Copy(w.Header(), found.Header())
	w.WriteHeader(found.Code)
	sendAtOnce(w, bytes.NewReader(found.Body.Bytes()))
}
