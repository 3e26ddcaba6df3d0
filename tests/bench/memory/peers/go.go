// memory, of goroutines.
package main

import (
	"bench/support"
	"sync"
)

func main() {
	tasks := support.Argument(1)
	before := support.ResidentBytes()
	var begun, all sync.WaitGroup
	wake := make(chan struct{})
	begun.Add(tasks)
	all.Add(tasks)
	for i := 0; i < tasks; i++ {
		go func() {
			begun.Done()
			<-wake
			all.Done()
		}()
	}
	begun.Wait()
	support.ReportEach(support.ResidentBytes()-before, tasks)
	close(wake)
	all.Wait()
}
