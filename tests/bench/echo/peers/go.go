// echo, by Go. Not by io.Copy, which would splice through two pipes for each connection.
package main

import (
	"fmt"
	"net"
)

const bufferSize = 65536

func serve(connection net.Conn) {
	defer connection.Close()
	buffer := make([]byte, bufferSize)
	for {
		n, err := connection.Read(buffer)
		if err != nil {
			return
		}
		if _, err = connection.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func main() {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr())
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go serve(connection)
	}
}
