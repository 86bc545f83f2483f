// Package simulation tests the provider with random stories. In a story are a service whose habits are drawn from a seed,
// people who edit and convert, and Terraform's core with several objects, for chapters and for a book, in fake time. The
// simulation knows the truth about the service. After every story it checks the promise, as invariants I1 to I10, which the
// README has. Of the client and the mock server it uses nothing but the network in memory.
package simulation
