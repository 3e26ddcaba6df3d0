// memory.cpp - no memory for a frame: an empty Task, and -ENOMEM where it is awaited, as in C.
#include "cpp_test.hpp"

#include <cstdlib>

using corolab::Scheduler;
using corolab::Task;
using test::expect;
using test::expect_throw;

static int refused = 0; // so many allocations that may fail, do

// None of them inlined, or GCC warns that a free() gets what a `new` has returned.
[[gnu::noinline]] void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return refused > 0 ? (refused--, nullptr) : std::malloc(size);
}
[[gnu::noinline]] void *operator new(std::size_t size)
{
    void *memory = std::malloc(size);

    return memory != nullptr ? memory : throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void *memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

static Task<int> child()
{
    co_return 1;
}

static Task<int> parent()
{
    refused = 1;
    co_return co_await child();
}

TEST(no_memory_for_a_frame)
{
    Scheduler s;

    refused = 1;
    expect(static_cast<bool>(child()), false, "there is a task");
    expect(expect_throw<corolab::error>([&] { s.block_on(parent()); }).code(), -ENOMEM, "code");
}
