// Package support is measure.h for the programs in Go.
package support

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Argument is the position-th one, a positive number; it ends the program if there is none.
func Argument(position int) int {
	number := 0
	if position < len(os.Args) {
		number, _ = strconv.Atoi(os.Args[position])
	}
	if number <= 0 {
		fmt.Fprintf(os.Stderr, "argument %d must be a positive number\n", position)
		os.Exit(2)
	}
	return number
}

// ProcessorTime is that of the whole process, its garbage collector included, in nanoseconds.
func ProcessorTime() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

// RealTime is for where several processors share the work, in nanoseconds.
func RealTime() int64 {
	return time.Now().UnixNano()
}

// ReportEach prints what one of count costs.
func ReportEach(total int64, count int) {
	fmt.Printf("%.3f\n", float64(total)/float64(count))
}

// ResidentBytes is how much of this process is in memory.
func ResidentBytes() int64 {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &kilobytes); n == 1 {
			return kilobytes * 1024
		}
	}
	panic("smaps_rollup does not tell Rss")
}
