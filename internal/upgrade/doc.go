// Package upgrade tests that this version works with what earlier versions wrote: the schema that configurations use,
// and states.
package upgrade
