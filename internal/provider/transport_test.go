package provider

import (
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewOver is the provider with another way to the service than the network.
func NewOver(transport *http.Transport) provider.Provider {
	return &audioprojectsProvider{version: "test", transport: transport}
}

// NewServerOver speaks Terraform's protocol for it.
func NewServerOver(transport *http.Transport) tfprotov6.ProviderServer {
	return newServer(NewOver(transport))
}
