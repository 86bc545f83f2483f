// Package storage stands in for Google's client of its storage, which this build of Terraform leaves out: only modules of a bucket need it.
package storage

import (
	"context"
	"errors"
	"io"

	"google.golang.org/api/option"
)

type (
	// Client is never made, so that nothing is called on the others.
	Client            struct{}
	BucketHandle      struct{}
	ObjectHandle      struct{}
	ObjectIterator    struct{}
	Query             struct{ Prefix string }
	ObjectAttrs       struct{ Name string }
	ReaderObjectAttrs struct{ Size int64 }
	Reader            struct {
		io.ReadCloser
		Attrs ReaderObjectAttrs
	}
)

// NewClient refuses every bucket.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) {
	return nil, errors.New("modules of a bucket are left out of the Terraform that was built for this repository's tests")
}

func (*Client) Bucket(string) *BucketHandle                           { return nil }
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return nil }
func (*BucketHandle) Object(string) *ObjectHandle                     { return nil }
func (*ObjectHandle) Generation(int64) *ObjectHandle                  { return nil }
func (*ObjectHandle) NewReader(context.Context) (*Reader, error)      { return nil, nil }
func (*ObjectIterator) Next() (*ObjectAttrs, error)                   { return nil, nil }
