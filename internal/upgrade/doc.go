// Package upgrade has the tests of what earlier versions have left behind: the schema that configurations are written for,
// and states.
package upgrade
