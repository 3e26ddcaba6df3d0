// event_loop.hpp - x3: the event loop of milestone 4: a scheduler that waits for descriptors, too.
//
// I/O throws nothing: the value of an await is what the system call returns, or a negative errno.
#ifndef COROLAB_EVENT_LOOP_HPP
#define COROLAB_EVENT_LOOP_HPP

#include "scheduler.hpp"

#include "event_loop.h"

namespace corolab
{

class EventLoop : public Scheduler
{
public:
    explicit EventLoop(::scheduler_policy policy = fifo,
                       ::lab_clock *clock = ::lab_clock_monotonic(), unsigned options = 0)
        : Scheduler(policy, clock),
          loop_(detail::check_created(::event_loop_create(c_scheduler(), c_timers(), options),
                                      "event_loop_create"))
    {
        also_waited_for_ = std::shared_ptr<void>(
            loop_, [](void *loop) { ::event_loop_destroy(static_cast<::event_loop *>(loop)); });
    }

    // For `co_await`; see event_loop.h.
    [[nodiscard]] ::awaiter read(int fd, void *buffer, std::size_t length) noexcept
    {
        return ::event_loop_read(loop_, fd, buffer, length);
    }
    [[nodiscard]] ::awaiter write(int fd, const void *buffer, std::size_t length) noexcept
    {
        return ::event_loop_write(loop_, fd, buffer, length);
    }
    [[nodiscard]] ::awaiter readable(int fd) noexcept
    {
        return ::event_loop_readable(loop_, fd);
    }
    [[nodiscard]] ::awaiter writable(int fd) noexcept
    {
        return ::event_loop_writable(loop_, fd);
    }
    [[nodiscard]] ::awaiter accept(int listener) noexcept
    {
        return ::event_loop_accept(loop_, listener);
    }
    [[nodiscard]] ::awaiter connect(int fd, const ::sockaddr *address, ::socklen_t length) noexcept
    {
        return ::event_loop_connect(loop_, fd, address, length);
    }

    // Wakes who waits for fd, with -ECANCELED; close() then closes it. 0, or a negative errno.
    int cancel(int fd) noexcept
    {
        return ::event_loop_cancel(loop_, fd);
    }
    int close(int fd) noexcept
    {
        return ::event_loop_close(loop_, fd);
    }

    // Until nothing is left to do, or until stop(). As Scheduler::run; 0 after a stop.
    std::size_t run()
    {
        const running_here here{this};

        return static_cast<std::size_t>(detail::check(::event_loop_run(loop_), "run"));
    }

    // From any thread, and from a signal handler.
    void stop() noexcept
    {
        ::event_loop_stop(loop_);
    }

private:
    ::event_loop *loop_; // its owner is also_waited_for_
};

} // namespace corolab

#endif
