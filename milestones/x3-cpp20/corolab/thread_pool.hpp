// thread_pool.hpp - x3: the scheduler with several threads of x2.
#ifndef COROLAB_THREAD_POOL_HPP
#define COROLAB_THREAD_POOL_HPP

#include "scheduler.hpp"

#include "thread_pool.h"

namespace corolab
{

class static_thread_pool
{
public:
    // 0: as many workers as there are processors.
    explicit static_thread_pool(std::size_t workers = 0)
        : pool_(detail::check_created(::thread_pool_create(workers), "thread_pool_create"))
    {
    }
    // Its destructor finishes what is queued, and what sleeps; then it ends the threads. A task that was
    // started and not joined must not go before.

    // The pool owns the task: it is queued, and destroyed as soon as it ends.
    template <class T> void schedule(Task<T> &&task)
    {
        auto *promise = task.release();
        const int result = ::thread_pool_schedule(pool_.get(), promise);

        if (result != 0 && result != -ENOMEM) { // else C has destroyed it
            task.reset(promise);
        }
        detail::check(result, "schedule");
    }

    // Queues the task and goes on. It stays the caller's, who joins it or blocks on it, once.
    template <class T> void parallel(Task<T> &task)
    {
        detail::check(::thread_pool_start(pool_.get(), task.borrow()), "parallel");
    }

    // For `co_await`: the end of such a task; consumes it.
    template <class T> [[nodiscard]] auto join(Task<T> &&task) noexcept
    {
        return detail::task_wait<T>{::thread_pool_join(task.borrow()), task};
    }

    // get() from a normal function: waits until `task` has ended. One that is not in the pool is started.
    template <class T> T get(Task<T> &&task)
    {
        auto *promise = task.borrow();

        if (promise == nullptr) {
            throw error(-ENOMEM, "get: the task is empty");
        }
        promise->keep(true);
        const int result = ::thread_pool_block_on(pool_.get(), promise, nullptr);
        if (promise->is_kept()) { // C has not consumed it
            promise->keep(false);
            throw error(result, "get");
        }
        return detail::take_result(task.release());
    }

    // For `co_await`, in coroutines of this pool.
    [[nodiscard]] checked yield() noexcept
    {
        return {::thread_pool_yield(pool_.get())};
    }
    template <class Rep, class Period>
    [[nodiscard]] checked sleep_for(std::chrono::duration<Rep, Period> duration) noexcept
    {
        const auto nanoseconds = std::chrono::ceil<std::chrono::nanoseconds>(duration);

        return {::thread_pool_sleep_for(pool_.get(), nanoseconds.count())};
    }

    [[nodiscard]] std::size_t workers() const noexcept
    {
        return ::thread_pool_workers(pool_.get());
    }

private:
    std::unique_ptr<::thread_pool, detail::destroyer<::thread_pool_destroy>> pool_;
};

} // namespace corolab

#endif
