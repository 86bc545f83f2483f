package audioprojects

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// ParseBaseURL reads the address that all paths of the document are relative to (section 4).
// The scheme must be https. It may be http for a loopback host, or for any host with allowHTTP.
// The address may have a path prefix, but no credentials, query or fragment. The error is for
// people, and never quotes credentials.
func ParseBaseURL(text string, allowHTTP bool) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil {
		// The error of net/url quotes the whole text, credentials included.
		return nil, errors.New("The text is not a valid URL")
	}
	switch {
	case address.User != nil:
		return nil, errors.New("The URL must not contain credentials: the service knows only the API key")
	case address.Scheme != "https" && address.Scheme != "http":
		return nil, errors.New("The URL must start with https://")
	case address.Hostname() == "":
		return nil, errors.New("The URL names no host")
	case strings.ContainsAny(text, "?#"):
		return nil, errors.New("The URL must not have a query (`?…`) or a fragment (`#…`)")
	case address.Scheme == "http" && !allowHTTP && !isLoopback(address.Hostname()):
		return nil, fmt.Errorf("Plain http would show the API key to everyone between this machine and %s: use https, or set `allow_http` in your own network", address.Hostname())
	}
	return address, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// CheckAPIKey refuses a key that cannot be sent in a header (section 5). The error does not quote it.
func CheckAPIKey(key string) error {
	for _, b := range []byte(key) {
		if b <= ' ' || b > '~' {
			return errors.New("The API key contains a space, a line break or another character that an HTTP header cannot carry; was it read from a file with a line break at the end?")
		}
	}
	return nil
}

// CheckID refuses the identifiers that would change the path of a request: the empty
// one, "." and "..". With the chapter "..", for example, a request for the chapter's snapshots
// would list those of the project.
func CheckID(id string) error {
	if id == "" || id == "." || id == ".." {
		return fmt.Errorf("%q is not an identifier: it must not be empty, %q or %q", id, ".", "..")
	}
	return nil
}

// defaultAPIPath is where the operations of the document begin (section 9).
const defaultAPIPath = "/v1"

// apiPath is what CheckAPIPath allows: nothing that a client, a gateway or a service could read as something else, such as two dots.
var apiPath = regexp.MustCompile(`^/$|^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+/?$`)

// CheckAPIPath refuses what is no path where the service's operations may begin, between the base URL and /projects. In the document
// that is /v1. Services have moved the same operations to places such as /v1/studio. A slash at the end makes no
// difference. The error is for people.
func CheckAPIPath(text string) error {
	if !apiPath.MatchString(text) {
		return errors.New("The path must begin with /, and may contain only letters from a to z, digits and the signs - . _ ~ between single slashes, without a dot after a slash")
	}
	return nil
}

// host is the base URL without its path.
func (c Config) host() string {
	return (&url.URL{Scheme: c.BaseURL.Scheme, Host: c.BaseURL.Host}).String()
}

// basePath is the path of the base URL, escaped, without a slash at its end.
func (c Config) basePath() string { return strings.TrimRight(c.BaseURL.EscapedPath(), "/") }

// apiPath is where the operations begin under the base URL, without a slash at its end.
func (c Config) apiPath() string { return strings.TrimSuffix(cmp.Or(c.APIPath, defaultAPIPath), "/") }

// escapePath joins path elements behind the base path and the API path. It escapes each as a whole, so that an identifier
// may contain a slash, a percent sign or any other character.
func escapePath(basePath, apiPath string, elements []string) (string, error) {
	var path strings.Builder
	path.WriteString(basePath + apiPath)
	for _, element := range elements {
		if err := CheckID(element); err != nil {
			return path.String(), err
		}
		path.WriteByte('/')
		path.WriteString(url.PathEscape(element))
	}
	return path.String(), nil
}
