// result.hpp - x3: where the result of a coroutine waits until somebody takes it.
#ifndef COROLAB_RESULT_HPP
#define COROLAB_RESULT_HPP

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace corolab::detail
{

template <class T>
concept whole_number = std::is_integral_v<T> || std::is_enum_v<T>;

// A T that C can be given as the value of a task, which is an intptr_t.
template <class T>
concept fits_into_a_word = std::is_void_v<T> || std::is_reference_v<T> || std::is_pointer_v<T> ||
    (whole_number<T> && sizeof(T) <= sizeof(intptr_t));

// One for values, one for references, one for nothing: what `co_return` calls, what the task's owner
// reads, and what C gets.
template <class T> class result
{
public:
    template <std::convertible_to<T> U = T> void return_value(U &&value)
    {
        value_.emplace(std::forward<U>(value));
    }
    T &read() noexcept
    {
        return *value_;
    }
    T take()
    {
        return std::move(*value_);
    }
    [[nodiscard]] intptr_t word() const noexcept
    {
        if constexpr (std::is_pointer_v<T>) {
            return reinterpret_cast<intptr_t>(*value_);
        } else if constexpr (fits_into_a_word<T>) {
            return static_cast<intptr_t>(*value_);
        } else {
            return 0; // and nobody can ask: see Task::c_task
        }
    }

private:
    std::optional<T> value_;
};

template <class T>
requires std::is_reference_v<T>
class result<T>
{
public:
    void return_value(T value) noexcept
    {
        place_ = std::addressof(value);
    }
    T read() noexcept
    {
        return static_cast<T>(*place_);
    }
    T take() noexcept
    {
        return static_cast<T>(*place_);
    }
    [[nodiscard]] intptr_t word() const noexcept
    {
        return reinterpret_cast<intptr_t>(place_);
    }

private:
    std::remove_reference_t<T> *place_ = nullptr;
};

template <> class result<void>
{
public:
    void return_void() noexcept
    {
    }
    void read() noexcept
    {
    }
    void take() noexcept
    {
    }
    [[nodiscard]] intptr_t word() const noexcept
    {
        return 0;
    }
};

} // namespace corolab::detail

#endif
