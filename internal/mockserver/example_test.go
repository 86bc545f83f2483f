package mockserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The lists of this service are 10 s late. It starts a conversion and then closes the connection without an answer.
func Example() {
	service := mockserver.New()
	service.AddProject(mockserver.Project{
		ID: "book",
		Chapters: []mockserver.Chapter{{
			ID:   "one",
			Text: "Once upon a time.",
			// The first conversion fails after a minute, all others take five.
			Conversions: []mockserver.Conversion{{Takes: time.Minute, Fails: "voice not found"}, {Takes: 5 * time.Minute}},
		}},
	})
	service.SetHabits(mockserver.Habits{StaleLists: 10 * time.Second})
	service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, EOF: true})

	server := httptest.NewServer(service)
	defer server.Close()
	request, err := http.NewRequest(http.MethodPost, server.URL+"/v1/projects/book/chapters/one/convert", nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("xi-api-key", mockserver.Secret)
	_, err = server.Client().Do(request)

	fmt.Println("answered:", err == nil)
	fmt.Println("asked for:", service.Count(mockserver.ConvertChapter))
	fmt.Println("paid for:", service.Conversions("book", "one"))
	// Output:
	// answered: false
	// asked for: 1
	// paid for: 1
}
