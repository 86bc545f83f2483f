package provider

import (
	"sync"
	"sync/atomic"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// providerData is what the provider block gives to everything else. client and engine are nil while the provider block has unknown values. Nothing has it if the framework calls its Configure before that of the provider, for a validation.
type providerData struct {
	client    *audioprojects.Client
	engine    *conversion.Engine
	limit     *characterLimit
	scale     progressScale
	files     *audiofile.Claims
	saves     *stateSaves // nil for a Terraform that does not need it
	saidOnce  sync.Map    // what this process has said
	refreshed sync.Map    // the keys of the resources that a refresh in this process has seen; -refresh=false and -minimal-refresh leave some out
	// unknownChapters counts the resources of a plan whose chapters are not known yet.
	unknownChapters atomic.Int64
}

func (d *providerData) ready() bool { return d != nil && d.client != nil }

// once reports whether this process says something for the first time.
func (d *providerData) once(what string) bool {
	_, before := d.saidOnce.LoadOrStore(what, true)
	return !before
}
