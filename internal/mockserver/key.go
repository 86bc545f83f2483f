package mockserver

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

// Secret is the key that a [New] server accepts without restrictions.
const Secret = "mock-key"

// Key is an API key of section 5, with the restrictions of items 4 and 6.
type Key struct {
	Secret   string
	Scopes   []Operation // nil: every operation
	Credits  *int        // characters that may still be converted; nil: unlimited
	NoAccess bool        // the account has not requested access to projects
}

// AddKey makes the service accept a key. It replaces a key with the same secret.
func (s *Server) AddKey(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key.Scopes = slices.Clone(key.Scopes)
	if key.Credits != nil {
		key.Credits = new(*key.Credits)
	}
	s.keys[key.Secret] = &key
}

// admit finds the key of a request and applies its restrictions. The document does not describe a refusal, so its form
// is ours.
func (s *Server) admit(c *call) *answer {
	secret := c.header.Get("xi-api-key")
	c.key = s.keys[secret]
	switch {
	case secret == "":
		return new(errorAnswer(http.StatusUnauthorized, errorDetail{"needs_authorization", "The header xi-api-key is missing."}))
	case c.key == nil:
		return new(errorAnswer(http.StatusUnauthorized, errorDetail{"invalid_api_key", "Invalid API key"}))
	case c.key.NoAccess:
		return new(errorAnswer(http.StatusForbidden, errorDetail{"projects_access_not_granted", "Projects are available on request. Please contact sales."}))
	case c.key.Scopes != nil && !slices.Contains(c.key.Scopes, c.operation):
		return new(errorAnswer(cmp.Or(s.habits.ScopeStatus, http.StatusForbidden), errorDetail{
			"missing_permissions", fmt.Sprintf("The API key is missing the permission for %s.", c.operation),
		}))
	}
	return nil
}

// spend takes the characters of a conversion from the key's quota. The document does not say what happens when the
// quota is exhausted. Here, a conversion that exceeds it is refused and costs nothing.
func (k *Key) spend(characters int, habits Habits) *answer {
	if k.Credits == nil {
		return nil
	}
	if characters > *k.Credits {
		refusal := errorAnswer(cmp.Or(habits.QuotaStatus, http.StatusPaymentRequired), errorDetail{
			"quota_exceeded",
			fmt.Sprintf("This request exceeds your quota. You have %d credits remaining, while %d credits are required.",
				*k.Credits, characters),
		})
		return &refusal
	}
	*k.Credits -= characters
	return nil
}
