// The provider as a program: Terraform and OpenTofu start it and speak with it.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// version is set by the release: go build -ldflags "-X main.version=1.2.3".
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "keep running, for a debugger, and print how Terraform can reach the provider")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address:         "registry.terraform.io/audioprojects/audioprojects",
		Debug:           *debug,
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
