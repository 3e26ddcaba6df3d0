// sleeps.cpp - sleeps overlap, and who sleeps less wakes up first. The clock is virtual, so it takes no time.
#include "corolab.hpp"

#include <iostream>
#include <string>

using namespace std::chrono_literals;

// Words, in the order in which they were said.
static void say(std::string &line, const std::string &word)
{
    line += (line.empty() ? "" : " ") + word;
}

static corolab::Task<> sleep_between(std::string &line, int id)
{
    say(line, std::to_string(id) + "-start");
    co_await corolab::sleep_for(50ms);
    say(line, std::to_string(id) + "-end");
}

static corolab::Task<> sleep_first(std::string &line, int id, std::chrono::milliseconds duration)
{
    co_await corolab::sleep_for(duration);
    say(line, std::to_string(id));
}

int main()
{
    corolab::VirtualClock clock;
    corolab::Scheduler s{corolab::Scheduler::fifo, clock};
    std::string overlap, order;

    s.spawn(sleep_between(overlap, 1));
    s.spawn(sleep_between(overlap, 2));
    s.run();
    const auto taken = s.now();

    s.spawn(sleep_first(order, 1, 50ms));
    s.spawn(sleep_first(order, 2, 20ms));
    s.spawn(sleep_first(order, 3, 30ms));
    s.run();
    std::cout << overlap << '\n' << order << '\n';
    return taken == 50ms && s.now() - taken == 50ms ? 0 : 1;
}
