// sync.hpp - x3: the mutex and the latch of x1.
//
// They suspend the coroutine and not the thread, and may be used by coroutines of several threads.
#ifndef COROLAB_SYNC_HPP
#define COROLAB_SYNC_HPP

#include "task.hpp"

#include "latch.h"
#include "mutex.h"

namespace corolab
{

class async_mutex
{
public:
    // Holds the mutex until the end of its scope, whatever way that ends.
    class [[nodiscard]] guard
    {
    public:
        guard(guard &&from) noexcept
            : held_(std::exchange(from.held_, nullptr)), owner_(from.owner_)
        {
        }
        guard &operator=(guard &&) = delete;
        ~guard()
        {
            if (held_ != nullptr) {
                (void)::mutex_unlock(held_, owner_);
            }
        }

    private:
        friend async_mutex;
        guard(::mutex *held, co_handle owner) noexcept : held_(held), owner_(owner)
        {
        }

        ::mutex *held_;
        co_handle owner_;
    };

    async_mutex() noexcept
    {
        ::mutex_init(&mutex_);
    }
    ~async_mutex()
    {
        ::mutex_destroy(&mutex_);
    }
    async_mutex(const async_mutex &) = delete;
    async_mutex &operator=(const async_mutex &) = delete;

    // For `co_await`: first come, first served. `auto held = co_await m.lock();`
    [[nodiscard]] auto lock() noexcept
    {
        return lock_wait{::mutex_lock(&mutex_), &mutex_};
    }

private:
    struct lock_wait {
        ::awaiter awaiter;
        ::mutex *mutex;

        guard result(::task &waiter, intptr_t value) const
        {
            (void)checked{awaiter}.result(waiter, value);
            return guard{mutex, &waiter.frame};
        }
    };

    ::mutex mutex_;
};

// Opens once, for all.
class latch
{
public:
    explicit latch(std::size_t count) noexcept
    {
        ::latch_init(&latch_, count);
    }
    ~latch()
    {
        ::latch_destroy(&latch_);
    }
    latch(const latch &) = delete;
    latch &operator=(const latch &) = delete;

    // Throws -EINVAL if that would be below zero.
    void count_down(std::size_t n = 1)
    {
        detail::check(::latch_count_down(&latch_, n), "count_down");
    }
    // For `co_await`.
    [[nodiscard]] checked wait() noexcept
    {
        return {::latch_wait(&latch_)};
    }

private:
    ::latch latch_;
};

} // namespace corolab

#endif
