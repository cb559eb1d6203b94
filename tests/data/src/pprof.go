// SPDX-License-Identifier: Apache-2.0

// Records the profiles of tests/data/pprof:
//
//	go run tests/data/src/pprof.go tests/data/pprof
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"
)

var sink []string

func spin(until time.Time) (n int) {
	for time.Now().Before(until) {
		n += strings.Count(strings.Repeat("ab", 2000), "b")
	}
	return n
}

func work(name string, d time.Duration, done *sync.WaitGroup) {
	labels := pprof.Labels("worker", name, "thread", "pool-"+name)
	pprof.Do(context.Background(), labels, func(context.Context) {
		spin(time.Now().Add(d))
	})
	done.Done()
}

func allocate() {
	for i := 0; i < 20000; i++ {
		sink = append(sink, strings.Repeat("x", 300))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func create(name string) *os.File {
	f, err := os.Create(os.Args[1] + "/" + name)
	check(err)
	return f
}

func main() {
	var done sync.WaitGroup

	cpu := create("go-cpu.pb.gz")
	check(pprof.StartCPUProfile(cpu))
	done.Add(2)
	go work("a", 600*time.Millisecond, &done)
	go work("b", 300*time.Millisecond, &done)
	done.Wait()
	pprof.StopCPUProfile()
	check(cpu.Close())

	allocate()
	runtime.GC()
	heap := create("go-heap.pb.gz")
	check(pprof.Lookup("heap").WriteTo(heap, 0))
	check(heap.Close())
}
