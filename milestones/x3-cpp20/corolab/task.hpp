// task.hpp - x3: Task<T>, the C++ owner of a task.
//
//     corolab::Task<int> sum(int a, int b)
//     {
//         co_return co_await worker(a) + co_await worker(b);
//     }
//
// Lazy, move-only, with one owner. To await it consumes it: `co_await f()`, or `co_await std::move(t)`.
#ifndef COROLAB_TASK_HPP
#define COROLAB_TASK_HPP

#include "promise.hpp"

#include <cstdio>
#include <cstdlib>

namespace corolab
{

template <class T = void> class [[nodiscard]] Task
{
public:
    using promise_type = detail::promise<T>;

    Task() noexcept = default; // empty, as NULL in C
    Task(Task &&from) noexcept : promise_(from.release())
    {
    }
    Task &operator=(Task &&from) noexcept
    {
        if (this != &from) {
            destroy();
            promise_ = from.release();
        }
        return *this;
    }
    ~Task()
    {
        destroy();
    }

    [[nodiscard]] explicit operator bool() const noexcept
    {
        return promise_ != nullptr;
    }
    // False for an empty one, too.
    [[nodiscard]] bool done() const noexcept
    {
        return promise_ != nullptr && ::task_done(promise_);
    }

    // By hand: runs it until it suspends or ends. What it throws comes out of get(), not here.
    void resume()
    {
        detail::check(::task_resume(promise_),
                      "resume: it has ended, runs, or is not yours to resume");
    }

    // The result, or what it threw, again as often as it is asked. Throws -EAGAIN before the end. Of a
    // named task, a reference into it; of a temporary, std::move(t).get(), the value.
    decltype(auto) get() &
    {
        look_at_end();
        return promise_->read();
    }
    T get() &&
    {
        look_at_end();
        return promise_->take();
    }

    // For C: the task, which is the caller's now: to be awaited (task_await), spawned, or destroyed. Its
    // value is the T itself, or where it is. NULL of an empty one.
    [[nodiscard]] ::task *c_task() && requires detail::fits_into_a_word<T>
    {
        return release();
    }

    // For those who queue it, and need not own it.
    [[nodiscard]] promise_type *borrow() const noexcept
    {
        return promise_;
    }
    [[nodiscard]] promise_type *release() noexcept
    {
        return std::exchange(promise_, nullptr);
    }
    // `promise` comes from release().
    void reset(promise_type *promise) noexcept
    {
        destroy();
        promise_ = promise;
    }

private:
    friend promise_type;

    explicit Task(promise_type *promise) noexcept : promise_(promise)
    {
    }

    void look_at_end()
    {
        if (!done()) {
            throw error(-EAGAIN, "get: the task has not ended");
        }
        (void)::task_error(promise_); // somebody has seen it now
        promise_->rethrow();
    }

    void destroy() noexcept
    {
        if (::task_destroy(promise_) != 0) {
            (void)std::fprintf(stderr, "corolab: task '%s' was destroyed while it ran\n",
                               promise_->name);
            std::abort();
        }
    }

    promise_type *promise_ = nullptr;
};

namespace detail
{

// Takes the result out of a task that C was left to end (keep), and so has released. Throws what it
// threw. The coroutine is destroyed after that, with its arguments.
template <class T> T take_result(promise<T> *ended)
{
    const auto destroy = [](promise<T> *it) { it->destroy(); };
    const std::unique_ptr<promise<T>, decltype(destroy)> owner{ended, destroy};

    owner->rethrow();
    return owner->take();
}

// A Task to await, and the awaiter of C that consumes it: task_await, or a pool's join.
template <class T> struct task_wait {
    ::awaiter awaiter;
    Task<T> &child;
};

// What `co_await` is applied to, then.
template <class T> class task_await
{
public:
    task_await(::task &self, Task<T> &child) noexcept : self_(self), child_(child)
    {
    }

    [[nodiscard]] bool await_ready() const noexcept
    {
        return false; // co_suspend asks
    }
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<>) noexcept
    {
        consumed_ = child_.release(); // first, for then we may be resumed elsewhere
        return suspend(self_);
    }
    T await_resume()
    {
        take_from_c();
        return take_result(consumed_);
    }

private:
    // C is through with the child, and its coroutine is ours; or throws why it is not.
    void take_from_c()
    {
        if (consumed_ != nullptr) {
            consumed_->keep(true); // C would destroy it, and has seen an intptr_t at most
        }
        try {
            (void)finish(self_);
        } catch (const error &) {
            give_back_or_destroy();
            if (consumed_ == nullptr) {
                throw;
            }
        }
    }

    // The wait has thrown. If that is what the child has thrown, take_result does it better. Else it was
    // refused, and is its owner's as before; or given up in the middle.
    void give_back_or_destroy() noexcept
    {
        if (consumed_ != nullptr && consumed_->is_kept()) {
            consumed_->keep(false);
            child_.reset(std::exchange(consumed_, nullptr));
        } else if (consumed_ != nullptr && !consumed_->has_thrown()) {
            std::exchange(consumed_, nullptr)->destroy();
        }
    }

    ::task &self_;
    Task<T> &child_;
    promise<T> *consumed_ = nullptr;
};

} // namespace detail
} // namespace corolab

#endif
