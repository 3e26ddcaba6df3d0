// pool, by Go: goroutines, on as many threads as there are workers.
package main

import (
	"bench/support"
	"runtime"
	"sync"
	"sync/atomic"
)

const batch = 1000

func work(steps int) int64 {
	state := uint64(1)
	for i := 0; i < steps; i++ {
		state = state*6364136223846793005 + 1442695040888963407
	}
	if state == 0 {
		return 2
	}
	return 1
}

func main() {
	runtime.GOMAXPROCS(support.Argument(1))
	steps := support.Argument(2)
	rounds := support.Argument(3)
	var done atomic.Int64
	began := support.RealTime()
	for round := 0; round < rounds; round++ {
		var all sync.WaitGroup
		all.Add(batch)
		for i := 0; i < batch; i++ {
			go func() {
				done.Add(work(steps))
				all.Done()
			}()
		}
		all.Wait()
	}
	support.ReportEach(support.RealTime()-began, int(done.Load()))
}
