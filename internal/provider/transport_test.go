package provider

import (
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/provider"
)

// NewOver is the provider with another way to the service than the network.
func NewOver(transport *http.Transport) provider.Provider {
	return &audioprojectsProvider{version: "test", transport: transport}
}
