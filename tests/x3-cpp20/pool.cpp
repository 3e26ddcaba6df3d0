// pool.cpp - C++ coroutines on the threads of x2. Lower bounds of time are strict, upper ones generous; an
// order is asked for on one worker only.
#include "cpp_test.hpp"

#include "corolab/thread_pool.hpp"

#include <atomic>
#include <thread>

using corolab::static_thread_pool;
using corolab::Task;
using test::expect;
using test::expect_throw;
using test::expect_true;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

static Task<int> fibonacci(int n)
{
    if (n < 2) {
        co_return n;
    }
    const int before = co_await fibonacci(n - 2);
    const int last = co_await fibonacci(n - 1);

    co_return before + last;
}

TEST(a_normal_function_gets_from_a_pool)
{
    static_thread_pool pool{2};

    expect(pool.get(fibonacci(5)), 5, "value");
    expect(pool.get(fibonacci(15)), 610, "value");
}

// What runs on one worker is logged without a lock: only that worker writes.
static Task<> log_one(std::string &log, const char *text)
{
    log += text;
    co_return;
}
static Task<int> log_b(std::string &log)
{
    log += "b ";
    co_return 2;
}
static Task<> awaits_b(static_thread_pool &pool, std::string &log)
{
    log += "1 ";
    pool.schedule(log_one(log, "o "));
    log += std::to_string(co_await log_b(log));
}
static Task<> joins_b(static_thread_pool &pool, std::string &log)
{
    auto b = log_b(log);

    log += "1 ";
    pool.parallel(b);
    log += "2 ";
    log += std::to_string(1 + co_await pool.join(std::move(b)));
}

TEST(an_awaited_child_is_queued_at_the_tail)
{
    std::string log;
    static_thread_pool pool{1};

    pool.get(awaits_b(pool, log));
    expect(log, "1 o b 2", "order");
}

TEST(a_parallel_child_does_not_suspend)
{
    std::string log;
    static_thread_pool pool{1};

    pool.get(joins_b(pool, log));
    expect(log, "1 2 b 3", "order");
}

static Task<int> block_the_thread()
{
    std::this_thread::sleep_for(50ms);
    co_return 1;
}
static Task<int> three_in_parallel(static_thread_pool &pool)
{
    std::vector<Task<int>> tasks;
    int sum = 0;

    for (int i = 0; i < 3; i++) {
        tasks.push_back(block_the_thread());
        pool.parallel(tasks.back());
    }
    for (auto &one : tasks) {
        sum += co_await pool.join(std::move(one));
    }
    co_return sum;
}

TEST(blocking_work_is_shared_among_the_workers)
{
    const std::chrono::milliseconds at_least[] = {0ms, 150ms, 100ms, 50ms};

    for (std::size_t workers = 1; workers <= 3; workers++) {
        static_thread_pool pool{workers};
        const auto begin = steady::now();

        expect(pool.get(three_in_parallel(pool)), 3, "value");
        expect_true(steady::now() - begin >= at_least[workers], "not faster than it can be");
        expect_true(steady::now() - begin < 20s, "not much slower");
    }
}

static Task<std::string> content(static_thread_pool &pool, std::string name,
                                 std::chrono::milliseconds takes)
{
    co_await pool.sleep_for(takes);
    if (name == "missing") {
        throw std::runtime_error("no such file: " + name);
    }
    co_return "content " + name;
}
static Task<std::string> read_files(static_thread_pool &pool)
{
    auto a = content(pool, "a", 50ms), b = content(pool, "b", 60ms), c = content(pool, "c", 70ms);
    auto missing = content(pool, "missing", 40ms);
    std::string all;

    for (auto *file : {&a, &b, &c, &missing}) {
        pool.parallel(*file);
    }
    all += co_await pool.join(std::move(a));
    all += ",";
    all += co_await pool.join(std::move(b));
    all += ",";
    all += co_await pool.join(std::move(c));
    try {
        all += co_await pool.join(std::move(missing));
    } catch (const std::runtime_error &thrown) {
        all += std::string{"; "} + thrown.what();
    }
    co_return all;
}

TEST(timers_hold_up_no_worker)
{
    static_thread_pool pool{1};
    const auto begin = steady::now();

    expect(pool.get(read_files(pool)), "content a,content b,content c; no such file: missing",
           "what is joined");
    expect_true(steady::now() - begin >= 70ms, "it takes 70 ms at least");
    expect_true(steady::now() - begin < 10s, "and not for ever");
}

static Task<> letters(static_thread_pool &pool, std::string &log, char letter)
{
    for (int i = 0; i < 3; i++) {
        log += letter;
        co_await pool.yield();
    }
}
static Task<> three_letters(static_thread_pool &pool, std::string &log)
{
    auto a = letters(pool, log, 'A'), b = letters(pool, log, 'B'), c = letters(pool, log, 'C');

    for (auto *one : {&a, &b, &c}) {
        pool.parallel(*one);
    }
    co_await pool.join(std::move(a));
    co_await pool.join(std::move(b));
    co_await pool.join(std::move(c));
}

TEST(yields_in_a_pool_take_turns)
{
    std::string log;
    static_thread_pool pool{1};

    pool.get(three_letters(pool, log));
    expect(log, "ABCABCABC", "order");
}

static Task<> add_up(static_thread_pool &pool, std::atomic<int> &sum)
{
    co_await pool.sleep_for(1ms);
    co_await pool.yield();
    sum += co_await fibonacci(3);
}

TEST(a_pool_finishes_its_work_before_it_goes)
{
    std::atomic<int> sum = 0;
    {
        static_thread_pool pool{3};

        for (int i = 0; i < 100; i++) {
            pool.schedule(add_up(pool, sum));
        }
    }
    expect(sum.load(), 200, "sum");
}

static Task<int> fails(static_thread_pool &pool)
{
    co_await pool.yield();
    throw std::logic_error("in a pool");
}

TEST(an_error_comes_out_of_get)
{
    static_thread_pool pool{2};
    auto thrown = expect_throw<std::logic_error>([&] { pool.get(fails(pool)); });

    expect(std::string{thrown.what()}, "in a pool", "what");
}

static Task<int> joins_what_was_never_started(static_thread_pool &pool, Task<int> &child)
{
    co_return co_await pool.join(std::move(child));
}

TEST(a_refused_join_leaves_the_task_to_its_owner)
{
    static_thread_pool pool{1};
    auto child = fibonacci(1);
    auto thrown =
        expect_throw<corolab::error>([&] { pool.get(joins_what_was_never_started(pool, child)); });

    expect(thrown.code(), -EINVAL, "code");
    expect(static_cast<bool>(child), true, "its owner has it");
    expect(pool.get(std::move(child)), 1, "and can run it");
}
