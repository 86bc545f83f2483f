// Command mutants changes the engine in small ways, one at a time, and says which changes no story and no test through the
// plugin protocol notices. A rule that can be changed unnoticed is either not tested or not needed.
//
// All changes are compiled into one test binary, and an environment variable chooses one of them, because linking a binary for
// each would take hours.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const engine = "internal/conversion"

// judge is something that may notice a mutant. Tests of the engine's own parts are none, and neither are the sheets of the kept
// stories: they restate what the engine does.
type judge struct {
	name, pkg string
	args      []string
	alone     bool // it decides the score of stories alone
	binary    string
	reached   map[int]bool
}

func main() {
	log.SetFlags(0)
	files := flag.String("files", "", "the engine's files that are changed, separated by commas; all if there are none")
	stories := flag.Int("stories", 1500, "how many random stories are played for each mutant")
	protocol := flag.Bool("protocol", true, "whether the provider's tests judge what no story has noticed")
	parallel := flag.Int("parallel", runtime.NumCPU(), "how many mutants are judged at a time")
	patience := flag.Duration("patience", time.Minute, "after how long a judge that does not end has noticed the mutant")
	flag.Parse()

	err := run(*files, *stories, *protocol, *parallel, *patience)
	if err != nil {
		log.Fatal(err)
	}
}

func run(files string, stories int, protocol bool, parallel int, patience time.Duration) (err error) {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	mutants, overlay, err := rewrite(work, files)
	if err != nil {
		return err
	}
	judges := []*judge{
		{name: "kept stories", pkg: "internal/simulation", alone: true, args: []string{"-test.run=^TestKeptStories$", "-test.failfast", "-sheets=false"}},
		{name: "random stories", pkg: "internal/simulation", alone: true, args: []string{"-test.run=^TestSimulation$", "-stories=" + strconv.Itoa(stories), "-failures=1", "-smallest=false"}},
	}
	if protocol {
		judges = append(judges, &judge{name: "protocol", pkg: "internal/provider", args: []string{"-test.failfast"}})
	}
	began := time.Now()
	for _, j := range judges {
		err := j.prepare(work, overlay, patience)
		if err != nil {
			return err
		}
	}
	log.Printf("%d mutants; judges prepared in %s", len(mutants), time.Since(began).Round(time.Second))

	next := make(chan *mutant)
	var group sync.WaitGroup
	for range parallel {
		group.Go(func() {
			for m := range next {
				m.judge(judges, patience)
			}
		})
	}
	for i, m := range mutants {
		if i > 0 && i%25 == 0 {
			log.Printf("%d of %d judged in %s", i, len(mutants), time.Since(began).Round(time.Second))
		}
		next <- m
	}
	close(next)
	group.Wait()
	report(mutants, judges)
	log.Printf("It took %s.", time.Since(began).Round(time.Second))
	return nil
}

// prepare builds the judge's test binary with all mutants in it, and finds out which of them it reaches.
func (j *judge) prepare(work, overlay string, patience time.Duration) error {
	j.binary = filepath.Join(work, filepath.Base(j.pkg)+".test")
	_, err := os.Stat(j.binary)
	if err != nil {
		build := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", j.binary, "./"+j.pkg)
		out, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("building %s: %w\n%s", j.pkg, err, out)
		}
	}
	seen := filepath.Join(work, strings.ReplaceAll(j.name, " ", "-"))
	out, err := j.play(10*patience, "MUTANTS_REACHED="+seen)
	if err != nil {
		return fmt.Errorf("%s fail without any change: %w\n%s", j.name, err, tail(out))
	}
	j.reached = map[int]bool{}
	text, err := os.ReadFile(seen)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, number := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		j.reached[n] = true
	}
	return nil
}

func (j *judge) play(patience time.Duration, environment string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	test := exec.CommandContext(ctx, j.binary, j.args...)
	test.Dir = j.pkg
	test.Env = append(os.Environ(), environment, "GOMAXPROCS=1")
	return test.CombinedOutput()
}

func tail(out []byte) string { return string(out[max(0, len(out)-2000):]) }

// judge asks the judges that reach the mutant, until one notices it.
func (m *mutant) judge(judges []*judge, patience time.Duration) {
	for _, j := range judges {
		if !j.reached[m.number] {
			continue
		}
		m.reached = true
		_, err := j.play(patience, "MUTANT="+strconv.Itoa(m.number))
		if err != nil {
			m.killer = j
			return
		}
	}
	log.Printf("Nobody notices: %s", m)
}

func (m *mutant) String() string {
	text := fmt.Sprintf("%s:%d:%d: %s", m.file, m.line, m.column, m.what)
	if !m.reached {
		text += " (never reached)"
	}
	return text
}

// report prints the score, and the survivors.
func report(mutants []*mutant, judges []*judge) {
	byFile := map[string][]*mutant{}
	var files []string
	for _, m := range mutants {
		if byFile[m.file] == nil {
			files = append(files, m.file)
		}
		byFile[m.file] = append(byFile[m.file], m)
	}
	fmt.Printf("%-24s %8s %15s %15s\n", "file", "mutants", "by stories", "by all")
	line := func(name string, of []*mutant) {
		stories, all := 0, 0
		for _, m := range of {
			if m.killer != nil {
				all++
				if m.killer.alone {
					stories++
				}
			}
		}
		fmt.Printf("%-24s %8d %8d %4d %% %8d %4d %%\n", name, len(of), stories, 100*stories/max(len(of), 1), all, 100*all/max(len(of), 1))
	}
	for _, file := range files {
		line(file, byFile[file])
	}
	line("all", mutants)
	fmt.Println("\nNobody notices:")
	for _, m := range mutants {
		if m.killer == nil {
			fmt.Println(m)
		}
	}
	if len(judges) > 2 {
		fmt.Println("\nOnly tests through the plugin protocol notice:")
		for _, m := range mutants {
			if m.killer != nil && !m.killer.alone {
				fmt.Println(m)
			}
		}
	}
}

// writeOverlay writes what tells the compiler to read the changed files.
func writeOverlay(work string, replaced map[string]string) (string, error) {
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	name := filepath.Join(work, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
