// switch, by Go.
package main

import (
	"bench/support"
	"runtime"
	"sync"
)

func main() {
	tasks, turns := support.Argument(1), support.Argument(2)
	var began, ended int64
	var there, all sync.WaitGroup
	wake := make(chan struct{}) // who is started runs before the last one is there, unless it waits
	there.Add(tasks)
	all.Add(tasks)
	for i := 0; i < tasks; i++ {
		go func(first bool) {
			there.Done()
			<-wake
			if first {
				began = support.ProcessorTime()
			}
			for left := turns; left > 0; left-- {
				runtime.Gosched()
			}
			if first {
				ended = support.ProcessorTime()
			}
			all.Done()
		}(i == 0)
	}
	there.Wait()
	close(wake)
	all.Wait()
	support.ReportEach(ended-began, tasks*turns)
}
