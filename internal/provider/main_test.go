package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
