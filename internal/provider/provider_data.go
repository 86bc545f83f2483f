package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// providerData is what the provider block gives to every other block. client and engine are
// nil while the provider block has unknown values.
type providerData struct {
	client  *audioprojects.Client
	engine  *conversion.Engine
	files   *audiofile.Claims
	saves   *stateSaves // nil for a Terraform that does not need it
	said    sync.Map    // what this process has said
	objects remembered
}

func (d *providerData) ready() bool { return d != nil && d.client != nil }

// first tells whether this process says something for the first time.
func (d *providerData) first(what string) bool {
	_, before := d.said.LoadOrStore(what, true)
	return !before
}

// configured converts the data that a block's Configure receives. It is nil if the framework calls Configure
// before that of the provider, for a validation.
func configured(given any, diags *diag.Diagnostics) *providerData {
	if given == nil {
		return nil
	}
	data, ok := given.(*providerData)
	if !ok {
		diags.AddError("Unable to configure the block",
			fmt.Sprintf("The provider handed over a %T. This is a defect of the provider: please report it.", given))
	}
	return data
}
