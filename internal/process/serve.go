// Package process is the provider as an operating system's process: how it logs, uses memory, meets signals, and ends.
package process

import (
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

// Serve answers Terraform's calls to the provider of the given version until Terraform ends the process. With debug, a person
// starts it, and it prints how Terraform can reach it. The error is that of the plugin library.
func Serve(version string, debug bool) error {
	// net/http logs what a service sends without a request, such as on an idle connection. That may contain the API key.
	log.SetOutput(io.Discard)
	tuneForPlans()
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		ignoreSignals()
	}
	return tf6server.Serve("registry.terraform.io/audioprojects/audioprojects", provider.NewServer(version, provider.Machine{}), options...)
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
