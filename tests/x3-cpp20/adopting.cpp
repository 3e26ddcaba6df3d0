// adopting.cpp - outside the standard: a frame written by hand, as a std::coroutine_handle, and the other way
// round. x3 does not build on it; README.md says what could break.
#include "cpp_test.hpp"

#include "c_side.h"

using corolab::Task;
using test::counted;
using test::expect;

static std::coroutine_handle<> adopt(::task *t)
{
    return std::coroutine_handle<>::from_address(&t->frame);
}

TEST(a_c_frame_as_a_coroutine_handle)
{
    char log[16] = "";
    auto *s = ::scheduler_create(SCHEDULER_FIFO);
    ::task *t = c_printer(s, 'c', log);
    const auto handle = adopt(t);

    expect(handle.done(), false, "done before");
    for (int i = 0; i < 4; i++) { // its yields are refused, for it runs on no scheduler
        if (!handle.done()) {
            handle.resume();
        }
    }
    expect(std::string{log}, "ccc", "what it did");
    expect(handle.done(), true, "done after");
    handle.destroy();
    (void)::scheduler_destroy(s);
}

// A coroutine without any promise of ours.
struct plain {
    struct promise_type {
        plain get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() const noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() const noexcept
        {
            return {};
        }
        void return_void() const noexcept
        {
        }
        void unhandled_exception() const
        {
            throw;
        }
    };
    std::coroutine_handle<promise_type> handle;
};

struct switch_to {
    std::coroutine_handle<> next;

    [[nodiscard]] bool await_ready() const noexcept
    {
        return false;
    }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept
    {
        return next;
    }
    void await_resume() const noexcept
    {
    }
};

static plain goes_to(std::coroutine_handle<> next)
{
    co_await switch_to{next};
}

TEST(symmetric_transfer_into_a_c_frame)
{
    char log[16] = "";
    auto *s = ::scheduler_create(SCHEDULER_FIFO);
    ::task *t = c_printer(s, 'c', log);
    const auto from = goes_to(adopt(t)).handle;

    from.resume();
    expect(std::string{log}, "ccc", "what the C coroutine did");
    expect(from.done(), false, "the C++ one waits where it switched");
    from.destroy();
    adopt(t).destroy();
    (void)::scheduler_destroy(s);
}

static plain counts(int &steps)
{
    const counted local;

    steps++;
    co_await std::suspend_always{};
    steps++;
}

// It is C that calls: were it C++ code under Clang's -fsanitize=function, that would stop the program, for a
// coroutine's resume function is not of the type that co.h says.
TEST(a_cpp_coroutine_as_a_c_frame)
{
    int steps = 0;
    const auto frame = static_cast<co_handle>(counts(steps).handle.address());

    c_resume(frame);
    expect(steps, 1, "steps");
    c_resume(frame);
    expect(steps, 2, "steps");
    expect(frame->resume == nullptr, true, "the first word is NULL at the final suspend point");
    c_destroy(frame);

    const auto other = static_cast<co_handle>(counts(steps).handle.address());
    c_resume(other);
    expect(counted::alive, 1, "alive in the middle");
    c_destroy(other);
    expect(counted::alive, 0, "alive after");
}
