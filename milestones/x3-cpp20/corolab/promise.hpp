// promise.hpp - x3: the promise of a C++20 coroutine, which is a task of the C layers.
//
// The promise *is* a `struct task`, by inheritance. What the C layers queue, await and report is this
// task; its body, a function as all bodies are, resumes the coroutine; its release destroys it. Nobody
// down there notices a difference.
#ifndef COROLAB_PROMISE_HPP
#define COROLAB_PROMISE_HPP

#include "awaiting.hpp"
#include "result.hpp"

namespace corolab
{

template <class T> class Task;

namespace detail
{

template <class T> class task_await; // both: task.hpp
template <class T> struct task_wait;

class promise_base : public ::task
{
public:
    promise_base(const promise_base &) = delete;
    promise_base &operator=(const promise_base &) = delete;

    // Lazy: a task runs when somebody resumes it.
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept
    {
        return {};
    }

    void unhandled_exception() noexcept
    {
        exception_ = std::current_exception();
        c_error_ = current_error(at.file, at.line);
    }

    // The three ways to wait: for an awaiter of C, for one with a C++ meaning, for a Task. The compiler
    // fills in where the `co_await` stands; so a dead-lock report can say it.
    c_await<plain_wait> await_transform(::awaiter awaiter, const char *file = __builtin_FILE(),
                                        int line = __builtin_LINE()) noexcept
    {
        wait_at(awaiter, file, line);
        return {*this, {awaiter}};
    }
    template <waits_in_c Wait>
    c_await<Wait> await_transform(Wait wait, const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE()) noexcept
    {
        wait_at(wait.awaiter, file, line);
        return {*this, wait};
    }
    template <class T>
    task_await<T> await_transform(Task<T> &&child, const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE()) noexcept
    {
        return await_transform(task_wait<T>{::task_await(child.borrow()), child}, file, line);
    }
    template <class T>
    task_await<T> await_transform(task_wait<T> wait, const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE()) noexcept
    {
        wait_at(wait.awaiter, file, line);
        return {*this, wait.child};
    }

    // For an owner who takes the result when C is through with the task: when C releases the frame, it is
    // not destroyed, but left to him. False, once that has happened.
    void keep(bool wanted) noexcept
    {
        kept_ = wanted;
    }
    [[nodiscard]] bool is_kept() const noexcept
    {
        return kept_;
    }
    void destroy() noexcept
    {
        coroutine_.destroy();
    }

    [[nodiscard]] bool has_thrown() const noexcept
    {
        return exception_ != nullptr;
    }
    // The coroutine has ended: with an exception, if that is how.
    void rethrow() const
    {
        if (exception_ != nullptr) {
            std::rethrow_exception(exception_);
        }
    }

protected:
    promise_base() = default;
    ~promise_base() = default;

    // get_return_object: from here on it is a task of C, that has not begun.
    void begin(std::coroutine_handle<> coroutine, const char *function, const char *file,
               int line) noexcept
    {
        (void)::task_init(this, function, resume_coroutine, release_coroutine);
        at.file = file;
        coroutine_ = coroutine;
        line_ = line;
    }

    // The final suspend point: as CO_RETURN and CO_THROW end a body. Then the task may be gone.
    void end(intptr_t word) noexcept
    {
        at.running = false;
        if (exception_ != nullptr) {
            ::task_unhandled_error(this, c_error_);
        } else {
            ::task_return_value(this, word);
        }
    }

private:
    static promise_base &of(co_handle frame) noexcept
    {
        return *static_cast<promise_base *>(reinterpret_cast<::task *>(frame));
    }

    // The body of the task: CO_BEGIN's first line, and instead of its `switch` the compiler's.
    static void resume_coroutine(co_handle frame)
    {
        promise_base &self = of(frame);

        self.at.running = true;
        if (self.at.line == 0) {
            self.at.line = self.line_; // begun
        }
        self.coroutine_.resume();
    }

    static void release_coroutine(co_handle frame)
    {
        promise_base &self = of(frame);

        if (self.kept_) {
            self.kept_ = false;
        } else {
            self.coroutine_.destroy();
        }
    }

    // The first lines of CO_AWAIT.
    void wait_at(const ::awaiter &awaiter, const char *file, int line) noexcept
    {
        at.awaiting = awaiter;
        at.file = file;
        at.line = line;
    }

    std::coroutine_handle<> coroutine_;
    std::exception_ptr exception_;
    co_error c_error_ = {}; // the same, for C
    int line_ = 0;          // where the coroutine's function begins
    bool kept_ = false;
};

template <class T> class promise final : public promise_base, public result<T>
{
public:
    // Called without arguments: what the compiler fills in then is the coroutine's name and place. (Not
    // so the constructor: that is offered the coroutine's own arguments.)
    Task<T> get_return_object(const char *function = __builtin_FUNCTION(),
                              const char *file = __builtin_FILE(),
                              int line = __builtin_LINE()) noexcept
    {
        begin(std::coroutine_handle<promise>::from_promise(*this), function, file, line);
        return Task<T>{this};
    }
    // No memory for the frame: an empty Task, as NULL in C. Who awaits it gets -ENOMEM.
    static Task<T> get_return_object_on_allocation_failure() noexcept
    {
        return Task<T>{};
    }

    struct final_await {
        [[nodiscard]] bool await_ready() const noexcept
        {
            return false;
        }
        [[gnu::noinline]] void await_suspend(std::coroutine_handle<promise> ended) const noexcept
        {
            promise &self = ended.promise();

            self.end(self.has_thrown() ? 0 : self.word());
        }
        void await_resume() const noexcept
        {
        }
    };
    [[nodiscard]] final_await final_suspend() const noexcept
    {
        return {};
    }
};

} // namespace detail
} // namespace corolab

#endif
