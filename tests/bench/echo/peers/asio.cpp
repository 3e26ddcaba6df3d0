// echo, by Boost.Asio with C++20 coroutines.
#include "asio.hpp"
#include "listening.h"

#include <cstddef>
#include <memory>

using asio::ip::tcp;

// A buffer for each connection, as in Asio's own examples; its pages are in memory once they are used.
static asio::awaitable<void> session(tcp::socket socket)
{
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(ECHO_BUFFER);

    for (;;) {
        boost::system::error_code error;
        std::size_t n =
            co_await socket.async_read_some(asio::buffer(bytes.get(), ECHO_BUFFER),
                                            asio::redirect_error(asio::use_awaitable, error));

        if (!error) {
            co_await asio::async_write(socket, asio::buffer(bytes.get(), n),
                                       asio::redirect_error(asio::use_awaitable, error));
        }
        if (error) {
            co_return;
        }
    }
}

static asio::awaitable<void> serve(tcp::acceptor acceptor)
{
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);

        asio::co_spawn(acceptor.get_executor(), session(std::move(socket)), asio::detached);
    }
}

int main()
{
    asio::io_context context(1);
    tcp::acceptor acceptor(context, tcp::v4(), open_listener());

    asio::co_spawn(context, serve(std::move(acceptor)), asio::detached);
    context.run();
}
