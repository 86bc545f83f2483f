// The provider as a program: Terraform and OpenTofu start it and speak with it.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// version is set by the release: go build -ldflags "-X main.version=1.2.3".
var version = "dev"

func main() {
	debugging := flag.Bool("debug", false, "keep running, for a debugger, and print how Terraform can reach the provider")
	flag.Parse()

	// net/http's own log quotes what a service sends without being asked: that may be the API key.
	log.SetOutput(io.Discard)
	tuneForPlans()
	if !*debugging {
		outliveSignals()
	}
	var options []tf6server.ServeOpt
	if *debugging {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve("registry.terraform.io/audioprojects/audioprojects", provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// outliveSignals makes SIGTERM and SIGHUP harmless as long as Terraform lives: a supervisor sends the one, a
// terminal that is closed the other, to Terraform's whole process group. Terraform then asks us to stop, and ends us when
// it has saved what we answered; the plugin library ignores Ctrl-C for the same reason. If Terraform has ended
// instead, with or without a signal to us, its requests have been cut off, and what they were at is tidied up before we follow.
func outliveSignals() {
	const whatTidyingTakes = 2 * time.Second
	terraform := os.Getppid()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for os.Getppid() == terraform {
			<-time.After(500 * time.Millisecond)
		}
		<-time.After(whatTidyingTakes)
		os.Exit(1)
	}()
}

// memoryLimit is from where on memory is collected whatever it costs. A plan over five thousand conversions stays far
// below it, the biggest answer that is read needs less, and with what the process has beside its heap it stays below 400 MiB.
const memoryLimit = 320 << 20

// tuneForPlans spares what a plan over many chapters would feel. The plugin library writes every
// step of its own for Terraform to drop, unless somebody wants the log; and the process lives for
// one command, so that memory is better left than collected by the megabyte: up to memoryLimit, where a data source of
// twenty thousand chapters would otherwise leave twice as much as it needs.
func tuneForPlans() {
	if !slices.ContainsFunc(os.Environ(), wantsLog) {
		for _, log := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
			os.Setenv(log, "off")
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

func wantsLog(setting string) bool {
	name, value, _ := strings.Cut(setting, "=")
	return strings.HasPrefix(name, "TF_LOG") && value != "" && !strings.EqualFold(value, "off")
}
