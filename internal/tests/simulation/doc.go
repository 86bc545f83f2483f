// Package simulation tests the provider with random stories. In a story are a service whose habits are drawn from a seed,
// people who edit and convert, and Terraform's core with several objects, for chapters and for a book, in fake time. The
// simulation knows the truth about the service. After every story it checks the promise, as invariants I1 to I10, which the
// README has. Of the client and the mock server it uses nothing but the network in memory.
//
// Read it in this order:
//
//   - story: what can happen. It is the whole vocabulary, one line for each word, and no words are added. draw and scenes make
//     stories from a seed, and text writes and reads them.
//   - trajectory and world: the service, and the truth about it.
//   - plan, apply, run and process: Terraform.
//   - ledger and turn: what each resource wished for, and what its turn in an apply has done about it.
//   - check: what a turn claims is true, I1, I2, I3, I5 and what the screen says. excuses: where nobody could know better.
//   - ends: when a turn ends, I6, I8 and I10. settled: that the next plan is empty, I4. payments and foretold: what was paid for, and
//     what a plan has said of it, I2, I3, I7 and I9.
package simulation
