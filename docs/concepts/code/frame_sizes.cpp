// frame_sizes.cpp - how large a frame the compiler makes, and whether it is allocated at all.
//
// Prints a line for each coroutine; docs/concepts/stacks.md has them in its tables.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>

struct Task {
    struct promise_type {
        long value;
        std::exception_ptr error;
        std::coroutine_handle<> continuation;

        static void *operator new(std::size_t size)
        {
            std::printf(" %zu bytes", size);
            return std::malloc(size);
        }
        static void operator delete(void *frame)
        {
            std::free(frame);
        }
        Task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        void return_value(long result)
        {
            value = result;
        }
        void unhandled_exception()
        {
            error = std::current_exception();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

struct Awaiter { // as large as this kit's
    void *words[8];

    bool await_ready()
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<>)
    {
    }
    long await_resume()
    {
        return 1;
    }
};

static Task none()
{
    co_return 1;
}

static Task one(long a, long b)
{
    long x = co_await Awaiter{};
    co_return x + a + b;
}

static Task two(long a, long b)
{
    long x = co_await Awaiter{};
    long y = co_await Awaiter{};
    co_return x + y + a + b;
}

int main()
{
    std::printf("no await:");
    none().handle.destroy();
    std::printf("\none await:");
    one(1, 2).handle.destroy();
    std::printf("\ntwo awaits:");
    two(1, 2).handle.destroy();
    std::printf("\n");
}
