// Package endpoints stands in for the list of Amazon's domains, of which a bucket's client would use one.
package endpoints

type Partition struct{}

func (Partition) DNSSuffix() string { return "amazonaws.com" }

func DefaultPartitions() []Partition { return nil }
