// Package simulation plays random stories with the provider: a service whose habits are drawn from a seed, people who edit and convert,
// and Terraform's core with several objects, in fake time. It knows the truth about the service, and asks after every story whether the
// promise was kept. It shares nothing with the client or the mock server but the network in memory.
package simulation
