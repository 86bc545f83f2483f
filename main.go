// The provider as a program, which Terraform and OpenTofu start and call over gRPC.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/process"
)

// version is set by the release: go build -ldflags "-X main.version=1.2.3".
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "keep running, for a debugger, and print how Terraform can reach the provider")
	flag.Parse()

	err := process.Serve(version, *debug)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
