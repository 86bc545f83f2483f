package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// table has the results of a benchmark.
type table struct {
	title string
	rows  [][]string // the first names the columns
}

// The tables, in the order of the page.
var tables = []*table{planTable, setTable, noticingTable, queueTable, busyTable, audioTable, answersTable}

func (t *table) add(cells ...any) {
	var row []string
	for _, cell := range cells {
		row = append(row, fmt.Sprint(cell))
	}
	t.rows = append(t.rows, row)
}

func (t *table) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n## %s\n\n", t.title)
	for i, row := range t.rows {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&text, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	return text.String()
}

// measuring is whether benchmarks run, so that the tables have all their rows. Tests alone play a few of them.
func measuring() bool { return flag.Lookup("test.bench").Value.String() != "" }

// page is the page with the tables. The tables replace all that follows a marked line.
const (
	page = "README.md"
	mark = "<!-- make bench writes what follows. -->\n"
)

// report prints the tables, and writes them to the page if all benchmarks have run.
func report() {
	text := machine()
	for _, table := range tables {
		if len(table.rows) > 1 {
			text += table.String()
		}
	}
	fmt.Print("\n", text)
	if slices.ContainsFunc(tables, func(t *table) bool { return len(t.rows) < 2 }) {
		return
	}
	kept, err := os.ReadFile(page)
	if err != nil {
		panic(err)
	}
	head, _, _ := strings.Cut(string(kept), mark)
	if err := os.WriteFile(page, []byte(head+mark+"\n"+text), 0o644); err != nil {
		panic(err)
	}
}

// machine names the machine and the versions of the measurement.
func machine() string {
	version, _ := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), "version").Output()
	cli, _, _ := strings.Cut(string(version), "\n")
	return fmt.Sprintf("Measured on %s with %s and %s, %s/%s, on %d cores.\n",
		time.Now().Format(time.DateOnly), cli, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

// share is one median divided by another.
func share(of, whole []time.Duration) float64 { return median(of).Seconds() / median(whole).Seconds() }

func seconds(took time.Duration) string { return fmt.Sprintf("%.2f s", took.Seconds()) }

func ratio(share float64) string { return fmt.Sprintf("%.2f", share) }

func mebibytes(peak float64) string { return fmt.Sprintf("%.0f MiB", peak) }
