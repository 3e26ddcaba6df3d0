// spawn, by Go.
package main

import (
	"bench/support"
	"sync"
	"sync/atomic"
)

const batch = 1000

func main() {
	rounds := support.Argument(1)
	var sum atomic.Int64
	began := support.ProcessorTime()
	for round := 0; round < rounds; round++ {
		var all sync.WaitGroup
		all.Add(batch)
		for i := 0; i < batch; i++ {
			go func() {
				sum.Add(1)
				all.Done()
			}()
		}
		all.Wait()
	}
	support.ReportEach(support.ProcessorTime()-began, int(sum.Load()))
}
