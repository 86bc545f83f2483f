package clitest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// PeakOf is the most memory that a process has had so far, in MiB; 0 if it has ended. The process is its folder under
// /proc, which Linux alone has.
func PeakOf(process string) float64 {
	status, _ := os.ReadFile(filepath.Join(process, "status"))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	peak, _ := strconv.Atoi(strings.TrimSpace(strings.Split(after, "kB")[0]))
	return float64(peak) / 1024
}

// Find finds the process that runs a program; empty if none does.
func Find(program string) (process string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == program {
			return filepath.Dir(link)
		}
	}
	return ""
}
