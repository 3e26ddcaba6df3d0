// timers, by Go. A timer that was stopped is only marked, and removed later, when its time comes or
// many are marked: that is not in the figure for cancel.
package main

import (
	"bench/support"
	"math/rand"
	"os"
	"sync"
	"time"
)

func duration(shortest int) time.Duration {
	return time.Duration(shortest+rand.Intn(shortest)) * time.Microsecond
}

func sleep(count, sleeps, shortest int) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	all.Add(count)
	for i := 0; i < count; i++ {
		go func() {
			<-begin
			for left := sleeps; left > 0; left-- {
				time.Sleep(duration(shortest))
			}
			all.Done()
		}()
	}
	began := support.ProcessorTime()
	close(begin)
	all.Wait()
	support.ReportEach(support.ProcessorTime()-began, count*sleeps)
}

func cancel(count, rounds int) {
	timers := make([]*time.Timer, count)
	order := rand.Perm(count)
	var took int64
	for round := 0; round < rounds; round++ {
		for i := range timers {
			timers[i] = time.AfterFunc(duration(3600000000), func() {})
		}
		began := support.ProcessorTime()
		for _, i := range order {
			timers[i].Stop()
		}
		took += support.ProcessorTime() - began
	}
	support.ReportEach(took, count*rounds)
}

func main() {
	count, repeats := support.Argument(2), support.Argument(3)
	if os.Args[1] == "cancel" {
		cancel(count, repeats)
	} else {
		sleep(count, repeats, support.Argument(4))
	}
}
