package mockserver

import _ "embed"

// OpenAPI describes the whole of the document as an OpenAPI 3.0 text in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte
