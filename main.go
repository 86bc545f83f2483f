// The provider as a program, which Terraform and OpenTofu start and call over gRPC.
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

	// net/http logs what a service sends without a request, such as on an idle connection. That may contain the API key.
	log.SetOutput(io.Discard)
	tuneForPlans()
	var options []tf6server.ServeOpt
	if *debugging {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		ignoreSignals()
	}
	if err := tf6server.Serve("registry.terraform.io/audioprojects/audioprojects", provider.NewServer(version, nil), options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ignoreSignals ignores SIGTERM and SIGHUP while Terraform runs. A supervisor sends the first, a closed terminal the
// second, to Terraform's whole process group. Terraform then asks the provider to stop, saves its answers, and ends it. A
// provider that a signal ends earlier loses those answers, so the plugin library ignores Ctrl-C as well.
//
// If Terraform itself has ended, its requests are cancelled. They get a moment to clean up, for example to remove an
// unfinished file, and then the provider ends too.
func ignoreSignals() {
	const cleanupTime = 2 * time.Second
	terraform := os.Getppid()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		waitForParent(terraform)
		<-time.After(cleanupTime)
		os.Exit(1)
	}()
}

// memoryLimit is where the garbage collector stops to save time. A plan over five thousand conversions stays far below
// it, and the biggest answer that is read needs less. With what the process has beside its heap it stays below 400 MiB.
const memoryLimit = 320 << 20

// tuneForPlans makes plans over many chapters faster. Without a TF_LOG variable it turns off the logs of the
// plugin library, which the library writes even though Terraform then drops them. It also lets the garbage collector
// run less often, because the process ends with the command; above memoryLimit it runs as often as it must, because a data
// source of twenty thousand chapters would otherwise take twice the memory that it needs.
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
