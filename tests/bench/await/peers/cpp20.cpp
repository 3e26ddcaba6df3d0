// await, by C++20 coroutines with symmetric transfer: a child that ends resumes its parent itself.
#include "measure.h"

#include <coroutine>
#include <cstring>
#include <exception>
#include <utility>

static long awaited;

class task
{
public:
    struct promise_type {
        long value = 0;
        std::exception_ptr error;
        std::coroutine_handle<> continuation = std::noop_coroutine();

        task get_return_object()
        {
            return task(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        auto final_suspend() noexcept
        {
            struct awaiter {
                bool await_ready() noexcept
                {
                    return false;
                }
                std::coroutine_handle<>
                await_suspend(std::coroutine_handle<promise_type> self) noexcept
                {
                    return self.promise().continuation;
                }
                void await_resume() noexcept
                {
                }
            };
            return awaiter{};
        }
        void return_value(long result) noexcept
        {
            value = result;
        }
        void unhandled_exception() noexcept
        {
            error = std::current_exception();
        }
    };

    explicit task(std::coroutine_handle<promise_type> handle) : handle_(handle)
    {
    }
    task(task &&other) noexcept : handle_(std::exchange(other.handle_, nullptr))
    {
    }
    task(const task &) = delete;
    ~task()
    {
        if (handle_) {
            handle_.destroy();
        }
    }

    bool await_ready() const noexcept
    {
        return false;
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) noexcept
    {
        handle_.promise().continuation = parent;
        return handle_;
    }
    long await_resume() const
    {
        return result();
    }

    void run()
    {
        handle_.resume();
        (void)result();
    }

private:
    long result() const
    {
        if (handle_.promise().error) {
            std::rethrow_exception(handle_.promise().error);
        }
        return handle_.promise().value;
    }

    std::coroutine_handle<promise_type> handle_;
};

static task child(long number)
{
    co_return number;
}

static task parent(long count)
{
    for (; count > 0; count--) {
        awaited += co_await child(1);
    }
    co_return 0;
}

static task fibonacci(long n)
{
    awaited++;
    if (n < 2) {
        co_return n;
    }
    long a = co_await fibonacci(n - 1);
    long b = co_await fibonacci(n - 2);
    co_return a + b;
}

int main(int argc, char **argv)
{
    long number = argument(argc, argv, 2);
    task first = std::strcmp(argv[1], "children") == 0 ? parent(number) : fibonacci(number);
    int64_t began = processor_ns();

    first.run();
    report_each(processor_ns() - began, awaited);
}
