// scheduler.hpp - x3: the scheduler and the timers of milestones 2 and 3, as one object.
//
// It has no queue and no loop of its own: every function is one of scheduler.h or timers.h.
#ifndef COROLAB_SCHEDULER_HPP
#define COROLAB_SCHEDULER_HPP

#include "task.hpp"
#include "timers.h"

#include <chrono>

namespace corolab
{
namespace detail
{

// What a unique_ptr of a C object calls.
template <auto destroy> struct destroyer {
    template <class T> void operator()(T *object) const noexcept
    {
        (void)destroy(object);
    }
};

template <class T> T *check_created(T *object, const char *what)
{
    if (object == nullptr) {
        throw error(-errno, what);
    }
    return object;
}

} // namespace detail

// Time that stands still until somebody sleeps on it: for tests (clock.h).
class VirtualClock
{
public:
    explicit VirtualClock(std::chrono::nanoseconds begin = {}) noexcept
    {
        ::virtual_clock_init(&clock_, begin.count());
    }
    operator ::lab_clock *() noexcept
    {
        return &clock_.clock;
    }

private:
    ::virtual_clock clock_;
};

class Scheduler
{
public:
    static constexpr ::scheduler_policy fifo = SCHEDULER_FIFO;
    static constexpr ::scheduler_policy lifo = SCHEDULER_LIFO;

    explicit Scheduler(::scheduler_policy policy = fifo,
                       ::lab_clock *clock = ::lab_clock_monotonic())
        : timers_(detail::check_created(::timers_create(clock), "timers_create")),
          scheduler_(detail::check_created(::scheduler_create(policy), "scheduler_create"))
    {
        ::scheduler_set_driver(c_scheduler(), ::timers_driver(c_timers()));
    }
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    // The one that this thread runs; if it runs none, one of its own, made when it is first asked for.
    static Scheduler &instance()
    {
        thread_local Scheduler own;

        return running_ != nullptr ? *running_ : own;
    }

    // The scheduler owns the task: it is queued, and destroyed as soon as it ends.
    template <class T> void spawn(Task<T> &&task)
    {
        auto *promise = task.release();
        const int result = ::scheduler_spawn(c_scheduler(), promise);

        if (result != 0 && result != -ENOMEM) { // else C has destroyed it
            task.reset(promise);
        }
        detail::check(result, "spawn");
    }

    // Queues the task, which stays the caller's: to be awaited later.
    template <class T> void start(Task<T> &task)
    {
        detail::check(::scheduler_start(c_scheduler(), task.borrow()), "start");
    }

    // Runs until nothing is left to do. How many wait for ever: 0, or it is a dead-lock; see report().
    std::size_t run()
    {
        const running_here here{this};

        return static_cast<std::size_t>(detail::check(::scheduler_run(c_scheduler()), "run"));
    }

    // Runs until `task` has ended: get() from a normal function. Throws -EDEADLK if it waits for ever.
    template <class T> T block_on(Task<T> task)
    {
        const running_here here{this};
        auto *promise = task.borrow();

        if (promise == nullptr) {
            throw error(-ENOMEM, "block_on: the task is empty");
        }
        promise->keep(true);
        const int result = ::scheduler_block_on(c_scheduler(), promise, nullptr);
        if (promise->is_kept()) { // C has not consumed it
            promise->keep(false);
            throw error(result, "block_on");
        }
        return detail::take_result(task.release());
    }

    // To the end of the queue: for `co_await`.
    [[nodiscard]] checked yield() noexcept
    {
        return {::scheduler_yield(c_scheduler())};
    }

    [[nodiscard]] bool has_work() const noexcept
    {
        return ::scheduler_has_work(c_scheduler());
    }

    // One line for each coroutine that has not ended. How many these are.
    std::size_t report(std::FILE *out) const noexcept
    {
        return ::scheduler_report(c_scheduler(), out);
    }

    // What its clock says.
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept
    {
        ::lab_clock *clock = ::timers_clock(c_timers());

        return std::chrono::nanoseconds{clock->now(clock)};
    }

    // For those who want to call the C layers themselves.
    [[nodiscard]] ::scheduler *c_scheduler() const noexcept
    {
        return scheduler_.get();
    }
    [[nodiscard]] ::timers *c_timers() const noexcept
    {
        return timers_.get();
    }

protected:
    // While it lives, instance() is that one.
    class running_here
    {
    public:
        explicit running_here(Scheduler *now) noexcept : before_(std::exchange(running_, now))
        {
        }
        ~running_here()
        {
            running_ = before_;
        }
        running_here(const running_here &) = delete;
        running_here &operator=(const running_here &) = delete;

    private:
        Scheduler *before_;
    };

    // In this order, for they are destroyed in the opposite one: the coroutines first, then what they
    // wait for.
    std::unique_ptr<::timers, detail::destroyer<::timers_destroy>> timers_;
    std::shared_ptr<void> also_waited_for_; // the event loop
    std::unique_ptr<::scheduler, detail::destroyer<::scheduler_destroy>> scheduler_;

private:
    static inline thread_local Scheduler *running_ = nullptr;
};

// The clock of this thread's scheduler, so that time points fit sleep_until.
struct clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;

    static time_point now()
    {
        return time_point{Scheduler::instance().now()};
    }
};

// For `co_await`, in a coroutine of this thread's scheduler.
[[nodiscard]] inline checked yield()
{
    return Scheduler::instance().yield();
}

// Not shorter than `duration`, however it is rounded.
template <class Rep, class Period>
[[nodiscard]] checked sleep_for(std::chrono::duration<Rep, Period> duration)
{
    const auto nanoseconds = std::chrono::ceil<std::chrono::nanoseconds>(duration);

    return {::sleep_for(Scheduler::instance().c_timers(), nanoseconds.count())};
}

[[nodiscard]] inline checked sleep_until(clock::time_point time)
{
    return {::sleep_until(Scheduler::instance().c_timers(), time.time_since_epoch().count())};
}

} // namespace corolab

#endif
