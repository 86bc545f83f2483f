// Package config stands in for what reads Amazon's settings: they are of no use to the client beside it, which is left out.
package config

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
)

type (
	LoadOptions struct{}
	option      = func(*LoadOptions) error
)

// LoadDefaultConfig reads nothing.
func LoadDefaultConfig(context.Context, ...option) (aws.Config, error) { return aws.Config{}, nil }

func WithRegion(string) option                                   { return nil }
func WithSharedConfigProfile(string) option                      { return nil }
func WithCredentialsProvider(aws.CredentialsProvider) option     { return nil }
func WithEC2IMDSClientEnableState(imds.ClientEnableState) option { return nil }
