module github.com/audioprojects/terraform-provider-audioprojects/internal/tools/mutants

go 1.26.0

toolchain go1.26.11
