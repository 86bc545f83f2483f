// Package leftout stands in for each state backend that this build of Terraform leaves out.
package leftout

import (
	"errors"

	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/configs/configschema"
	"github.com/hashicorp/terraform/internal/tfdiags"
	"github.com/zclconf/go-cty/cty"
)

type leftOut struct {
	backend.Backend // nil: nothing is called after PrepareConfig has failed.
}

// New returns a backend that refuses every configuration.
func New() backend.Backend { return leftOut{} }

func (leftOut) ConfigSchema() *configschema.Block { return &configschema.Block{} }

func (leftOut) PrepareConfig(cty.Value) (cty.Value, tfdiags.Diagnostics) {
	var diags tfdiags.Diagnostics
	return cty.DynamicVal, diags.Append(errors.New("this state backend is left out of the Terraform that was built for this repository's tests"))
}
