// await, by Go: a goroutine that sends its result.
package main

import (
	"bench/support"
	"os"
)

var awaited int

func start(f func() int) chan int {
	result := make(chan int, 1)
	go func() { result <- f() }()
	return result
}

func fibonacci(n int) int {
	awaited++
	if n < 2 {
		return n
	}
	a := <-start(func() int { return fibonacci(n - 1) })
	b := <-start(func() int { return fibonacci(n - 2) })
	return a + b
}

func main() {
	number := support.Argument(2)
	began := support.ProcessorTime()
	if os.Args[1] == "children" {
		for ; number > 0; number-- {
			awaited += <-start(func() int { return 1 })
		}
	} else {
		_ = fibonacci(number)
	}
	support.ReportEach(support.ProcessorTime()-began, awaited)
}
