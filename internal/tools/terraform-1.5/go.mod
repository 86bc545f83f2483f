// The oldest Terraform that the provider is for, built from source for `make test-matrix`.
module github.com/audioprojects/terraform-provider-audioprojects/internal/tools/terraform-1.5

go 1.26.8

require github.com/hashicorp/terraform v1.5.7
