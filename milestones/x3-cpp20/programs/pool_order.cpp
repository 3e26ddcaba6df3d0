// pool_order.cpp - one worker, and who comes after whom: an awaited child and a yield go to the end of the queue;
// a child that runs in parallel does not suspend its parent.
#include "corolab/thread_pool.hpp"

#include <iostream>

using corolab::static_thread_pool;
using corolab::Task;

static Task<> other()
{
    std::cout << "o ";
    co_return;
}

static Task<int> b()
{
    std::cout << "b ";
    co_return 2;
}

static Task<> awaits_b(static_thread_pool &pool)
{
    pool.schedule(other());
    std::cout << "1 ";
    const int value = co_await b();
    std::cout << value << '\n';
}

static Task<> starts_b(static_thread_pool &pool)
{
    auto child = b();

    std::cout << "1 ";
    pool.parallel(child);
    std::cout << "2 ";
    const int value = co_await pool.join(std::move(child));
    std::cout << value + 1 << '\n';
}

// How often it was resumed.
static Task<int> letters(static_thread_pool &pool, char letter, int yields)
{
    int resumptions = 1;

    for (int i = 0; i < yields; i++) {
        std::cout << letter;
        co_await pool.yield();
        resumptions++;
    }
    co_return resumptions;
}

static Task<int> three_letters(static_thread_pool &pool, int yields)
{
    auto a = letters(pool, 'A', yields), second = letters(pool, 'B', yields),
         third = letters(pool, 'C', yields);

    for (auto *one : {&a, &second, &third}) {
        pool.parallel(*one);
    }
    (void)co_await pool.join(std::move(second));
    (void)co_await pool.join(std::move(third));
    std::cout << '\n';
    co_return co_await pool.join(std::move(a));
}

int main()
{
    static_thread_pool pool{1};

    pool.get(awaits_b(pool));
    pool.get(starts_b(pool));
    (void)pool.get(three_letters(pool, 3));
    std::cout << pool.get(three_letters(pool, 10)) << " resumptions\n";
}
