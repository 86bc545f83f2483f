//go:build unix

package provider_test

import (
	"sync"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccReplacementInterrupted: Terraform destroys all objects that are to be replaced before
// it creates the first -parallelism of them, and what is interrupted then exists nowhere.
func TestAccReplacementInterrupted(t *testing.T) {
	t.Parallel()
	const chapters = 15
	service, terraform := manyOutOfTime(t, chapters)
	terraform.Write(numberedConversions(chapters, "1h"))
	before := service.Count(mockserver.ListChapters)
	waiting := make(chan struct{})
	var once sync.Once
	service.Watch(func(mockserver.Entry) {
		if service.Count(mockserver.ListChapters) >= before+4 {
			once.Do(func() { close(waiting) })
		}
	})
	apply := terraform.Start("apply", "-auto-approve")
	apply.When(waiting, (*clitest.Running).Interrupt)
	screen, err := apply.Wait()
	if err == nil {
		t.Fatalf("the apply went through:\n%s", screen)
	}

	service.endAll(chapters)
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, chapters)
}
