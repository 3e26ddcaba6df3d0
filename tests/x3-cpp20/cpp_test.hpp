// cpp_test.hpp - the test cases of x3: small, for here a failure may end the program.
//
//     TEST(a_task_is_lazy)
//     {
//         expect(log, "", "what has run");
//     }
//
// `test-x3` runs all cases, `test-x3 NAME...` these. The first thing that is not as expected is printed, and
// ends the program with 1.
#ifndef CPP_TEST_HPP
#define CPP_TEST_HPP

#include "corolab.hpp"

#include <cstdio>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

struct test_case {
    const char *name;
    void (*run)();
};

inline std::vector<test_case> &cases()
{
    static std::vector<test_case> all;

    return all;
}

struct registered {
    registered(const char *name, void (*run)())
    {
        cases().push_back({name, run});
    }
};

[[noreturn]] inline void fail(const char *what, const std::string &how, const char *file, int line)
{
    (void)std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, how.c_str());
    std::exit(1);
}

template <class Value> std::string shown(const Value &value)
{
    std::ostringstream text;

    text << '"' << value << '"';
    return text.str();
}

template <class Value>
void expect(const Value &actual, const std::type_identity_t<Value> &expected, const char *what,
            const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    if (!(actual == expected)) {
        fail(what, "expected " + shown(expected) + ", got " + shown(actual), file, line);
    }
}

inline void expect_true(bool holds, const char *what, const char *file = __builtin_FILE(),
                        int line = __builtin_LINE())
{
    if (!holds) {
        fail(what, "is not so", file, line);
    }
}

// Calls `action`, which has to throw an `Exception`, and returns it.
template <class Exception, class Action>
Exception expect_throw(Action action, const char *file = __builtin_FILE(),
                       int line = __builtin_LINE())
{
    try {
        action();
    } catch (const Exception &thrown) {
        return thrown;
    }
    fail("expect_throw", "it throws nothing", file, line);
}

// Counts how many of its kind are alive: in frames, results and arguments.
struct counted {
    static inline int alive = 0;

    counted() noexcept
    {
        alive++;
    }
    counted(const counted &) noexcept
    {
        alive++;
    }
    counted(counted &&) noexcept
    {
        alive++;
    }
    counted &operator=(const counted &) = default;
    counted &operator=(counted &&) = default;
    ~counted()
    {
        alive--;
    }
};

} // namespace test

#define TEST(name_)                                                                                \
    static void name_();                                                                           \
    static const test::registered registered_##name_{#name_, name_};                               \
    static void name_()

#endif
