package provider

import (
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
)

// providerData is what the provider block gives to everything else. client and engine are nil while the provider block has unknown values.
// Nothing has it if the framework calls its Configure before that of the provider, for a validation.
type providerData struct {
	client      *audioprojects.Client
	engine      *conversion.Engine
	conversions *forecast.Conversions
	files       audiofile.Files // the audio files, with the memory of which ones this apply has written
	saves       *stateSaves     // nil for a Terraform that does not need it
}

func (d *providerData) ready() bool { return d != nil && d.client != nil }

// audioFiles are those of the apply. Where nothing is configured yet, there is nothing to remember.
func (d *providerData) audioFiles() *audiofile.Files {
	if d == nil {
		return &audiofile.Files{}
	}
	return &d.files
}
