// error.hpp - x3: errors, between C's way and C++'s way.
//
// A co_error that comes out of a C task is thrown as a corolab::error. An exception that nobody in a C++
// coroutine caught becomes a co_error, for the C side; a C++ coroutine that awaits it gets the exception
// itself.
#ifndef COROLAB_ERROR_HPP
#define COROLAB_ERROR_HPP

// C says `awaiter a = {0};` where C++ says `= {}`; a C++ compiler warns.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "co.h"
#pragma GCC diagnostic pop

#include <cerrno>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <system_error>

namespace corolab
{

// A co_error as an exception.
class error : public std::exception
{
public:
    explicit error(const co_error &from) noexcept : c_error_(from)
    {
    }

    // Thrown here. `what` must be a literal: a co_error keeps the pointer. `code` must not be 0.
    error(int code, const char *what, const char *file = __builtin_FILE(),
          int line = __builtin_LINE()) noexcept
        : error(co_error_at(code, what, file, line))
    {
    }

    [[nodiscard]] const char *what() const noexcept override
    {
        return c_error_.what != nullptr ? c_error_.what : "";
    }
    [[nodiscard]] int code() const noexcept
    {
        return c_error_.code;
    }
    [[nodiscard]] const char *file() const noexcept
    {
        return c_error_.file;
    }
    [[nodiscard]] int line() const noexcept
    {
        return c_error_.line;
    }
    [[nodiscard]] const co_error &c_error() const noexcept
    {
        return c_error_;
    }

private:
    co_error c_error_;
};

// The code of exceptions that have none of their own: "C++", in letters. No errno is that large.
inline constexpr int exception_code = 0x432B2B;

namespace detail
{

// A co_error only points to its text, and goes on living when the exception that had it is gone. So texts
// are kept, each once. That costs memory for ever, and so no more than this many.
inline constexpr std::size_t most_texts = 256;
inline constexpr const char *other_text = "a C++ exception";

inline const char *keep_text(const char *text) noexcept
{
    static std::mutex lock;

    try {
        static auto &texts = *new std::set<std::string>; // never destroyed: used until the very end
        std::string wanted{text};
        const std::lock_guard guard{lock};
        auto found = texts.find(wanted);

        if (found == texts.end() && texts.size() < most_texts) {
            found = texts.insert(std::move(wanted)).first;
        }
        return found != texts.end() ? found->c_str() : other_text;
    } catch (const std::bad_alloc &) {
        return other_text;
    }
}

inline int code_of(const std::system_error &thrown) noexcept
{
    const auto code = thrown.code();
    const bool is_errno =
        code.category() == std::generic_category() || code.category() == std::system_category();

    return is_errno && code.value() > 0 ? -code.value() : exception_code;
}

// The exception that is being handled, for C. Where it was thrown nobody knows: `file` and `line` say
// where its coroutine was last.
inline co_error current_error(const char *file, int line) noexcept
{
    try {
        throw;
    } catch (const error &thrown) {
        return thrown.c_error();
    } catch (const std::system_error &thrown) {
        return co_error_at(code_of(thrown), keep_text(thrown.what()), file, line);
    } catch (const std::bad_alloc &) {
        return co_error_at(-ENOMEM, "out of memory", file, line);
    } catch (const std::exception &thrown) {
        return co_error_at(exception_code, keep_text(thrown.what()), file, line);
    } catch (...) {
        return co_error_at(exception_code, other_text, file, line);
    }
}

// Throws what a function of the C layers returned, if that is an error.
inline int check(int result, const char *what)
{
    if (result < 0) {
        throw error(result, what);
    }
    return result;
}

} // namespace detail
} // namespace corolab

#endif
