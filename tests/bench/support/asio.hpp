// asio.hpp - Boost.Asio, with what Debian's version (1.74) forgets to include.
#pragma once

#include <utility>

#include <boost/asio.hpp>

namespace asio = boost::asio;
