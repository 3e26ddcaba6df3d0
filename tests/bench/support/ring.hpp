// ring.hpp - the peer "C++20": plain coroutines on the same kind of ready queue, and no more.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

// A ring whose capacity is a power of two and never below the number of coroutines.
class ring
{
public:
    void reserve(std::size_t needed)
    {
        std::size_t capacity = capacity_ != 0 ? capacity_ : 16;

        if (needed <= capacity_) {
            return;
        }
        while (capacity < needed) {
            capacity *= 2;
        }
        auto slots = std::make_unique<std::coroutine_handle<>[]>(capacity);
        for (std::size_t i = 0; i < count_; i++) {
            slots[i] = slots_[(head_ + i) & (capacity_ - 1)];
        }
        slots_ = std::move(slots);
        capacity_ = capacity;
        head_ = 0;
    }

    void push(std::coroutine_handle<> handle)
    {
        slots_[(head_ + count_++) & (capacity_ - 1)] = handle;
    }

    std::coroutine_handle<> pop()
    {
        count_--;
        return slots_[head_++ & (capacity_ - 1)];
    }

    bool empty() const
    {
        return count_ == 0;
    }

private:
    std::unique_ptr<std::coroutine_handle<>[]> slots_;
    std::size_t capacity_ = 0, head_ = 0, count_ = 0;
};

// What is spawned belongs to the scheduler, which destroys it at its end.
struct spawned {
    struct promise_type {
        spawned get_return_object()
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
        void return_void() noexcept
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };

    std::coroutine_handle<promise_type> handle;
};

class ring_scheduler
{
public:
    void spawn(spawned coroutine)
    {
        ready_.reserve(++alive_);
        ready_.push(coroutine.handle);
    }

    void run()
    {
        while (!ready_.empty()) {
            turn();
        }
    }

    // One resumption of the oldest.
    void turn()
    {
        std::coroutine_handle<> handle = ready_.pop();

        handle.resume();
        if (handle.done()) {
            handle.destroy();
            alive_--;
        }
    }

    auto yield()
    {
        struct awaiter {
            ring &ready;

            bool await_ready() const noexcept
            {
                return false;
            }
            void await_suspend(std::coroutine_handle<> handle) const
            {
                ready.push(handle);
            }
            void await_resume() const noexcept
            {
            }
        };
        return awaiter{ready_};
    }

private:
    ring ready_;
    std::size_t alive_ = 0;
};
