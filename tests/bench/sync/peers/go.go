// sync, by Go, on one thread.
package main

import (
	"bench/support"
	"os"
	"runtime"
	"sync"
)

func handOver(goroutines, count int) int {
	var guarded sync.Mutex
	var all sync.WaitGroup
	turns := 0
	all.Add(goroutines)
	for i := 0; i < goroutines; i++ {
		go func() {
			for left := count / goroutines; left > 0; left-- {
				guarded.Lock()
				turns++
				runtime.Gosched()
				guarded.Unlock()
			}
			all.Done()
		}()
	}
	all.Wait()
	return turns
}

func passOn(capacity, count int) int {
	items := make(chan int, capacity)
	received := 0
	go func() {
		for left := count; left > 0; left-- {
			items <- left
		}
		close(items)
	}()
	for range items {
		received++
	}
	return received
}

func main() {
	runtime.GOMAXPROCS(1)
	first, count := support.Argument(2), support.Argument(3)
	began := support.ProcessorTime()
	done := 0
	if os.Args[1] == "mutex" {
		done = handOver(first, count)
	} else {
		done = passOn(first, count)
	}
	support.ReportEach(support.ProcessorTime()-began, done)
}
