// awaiting.hpp - x3: how `co_await` waits for an awaiter of the C layers.
//
// The compiler asks an awaitable three things: await_ready, await_suspend, await_resume. The C layers
// ask an `awaiter` the same three, in co_suspend and co_finish_await (co.h). So this is a translation,
// word by word, of what CO_AWAIT does: see README.md.
#ifndef COROLAB_AWAITING_HPP
#define COROLAB_AWAITING_HPP

#include "error.hpp"
#include "task.h"

#include <coroutine>
#include <utility>

namespace corolab
{
namespace detail
{

// Something to await: an awaiter of C, and what `co_await` makes of its value.
template <class Wait>
concept waits_in_c = requires(Wait wait, ::task &waiter, intptr_t value)
{
    wait.awaiter.type->await_suspend;
    wait.result(waiter, value);
};

// Just the value. I/O gives errors as negative values, which are no exceptions (event_loop.h).
struct plain_wait {
    ::awaiter awaiter;

    [[nodiscard]] intptr_t result(const ::task &, intptr_t value) const noexcept
    {
        return value;
    }
};

// First half: CO_AWAIT's `if (co_suspend(...)) return;`. As soon as the awaiter knows its waiter, another
// thread may be running it, to its end even; so not inlined, or a compiler may keep the function's own
// variables in the coroutine's frame (Clang before version 17 does).
[[gnu::noinline]] inline bool suspend(::task &self) noexcept
{
    return co_suspend(&self.frame, &self.at);
}

// Second half.
inline intptr_t finish(::task &self)
{
    co_error thrown = co_error_at(0, nullptr, nullptr, 0);
    const intptr_t value = co_finish_await(&self.at, &thrown);

    if (thrown.code != 0) {
        throw error(thrown);
    }
    return value;
}

// What `co_await` is applied to in the end. Its awaiter is at its place in the task already.
template <waits_in_c Wait> struct c_await {
    ::task &self;
    Wait wait;

    [[nodiscard]] bool await_ready() const noexcept
    {
        return false; // co_suspend asks
    }
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<>) noexcept
    {
        return suspend(self);
    }
    auto await_resume()
    {
        return wait.result(self, finish(self));
    }
};

} // namespace detail

// Awaits an awaiter of C whose value, if it is negative, is an error: it is thrown.
struct checked {
    ::awaiter awaiter;

    intptr_t result(const ::task &waiter, intptr_t value) const
    {
        if (value < 0) {
            throw error(static_cast<int>(value), awaiter.type->name, waiter.at.file,
                        waiter.at.line);
        }
        return value;
    }
};

} // namespace corolab

#endif
