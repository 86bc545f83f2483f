// Package upgrade records the schema that configurations use, and has the states of published versions, once there are some.
package upgrade
