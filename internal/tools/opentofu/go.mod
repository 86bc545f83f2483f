// OpenTofu, built from source for `make test-matrix`.
module github.com/audioprojects/terraform-provider-audioprojects/internal/tools/opentofu

go 1.26.8

require github.com/opentofu/opentofu v1.12.6

// As OpenTofu's own go.mod has it.
replace github.com/hashicorp/hcl/v2 v2.20.1 => github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828
