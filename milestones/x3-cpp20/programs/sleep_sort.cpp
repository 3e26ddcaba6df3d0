// sleep_sort.cpp - who sleeps for a shorter time wakes up earlier, and together they take no longer than the
// longest. The clock is virtual, so it takes no time.
#include "corolab.hpp"

#include <iostream>

using namespace std::chrono_literals;

static corolab::Task<> sleeper(std::chrono::milliseconds duration)
{
    co_await corolab::sleep_for(duration);
    std::cout << duration.count() << '\n';
}

int main()
{
    corolab::VirtualClock clock;
    corolab::Scheduler s{corolab::Scheduler::fifo, clock};

    for (auto duration : {300ms, 200ms, 100ms}) {
        s.spawn(sleeper(duration));
    }
    s.run();
    return s.now() == 300ms ? 0 : 1;
}
