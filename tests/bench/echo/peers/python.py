"""echo, by Python's asyncio: a protocol, which costs less than streams."""

import asyncio
import socket


class Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(65536)

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)

    def pause_writing(self) -> None:
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        self.transport.resume_reading()


async def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    server = await asyncio.get_running_loop().create_server(Echo, sock=listener, backlog=4096)
    print(f"listening on 127.0.0.1:{listener.getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
