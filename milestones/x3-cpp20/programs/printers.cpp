// printers.cpp - three printers, ten rounds: after each letter they sleep for 100 ms. The clock is virtual,
// so it takes no time.
#include "corolab.hpp"

#include <iostream>

using namespace std::chrono_literals;

static corolab::Task<> printer(char letter)
{
    for (int round = 0; round < 10; round++) {
        std::cout << letter << '\n';
        co_await corolab::sleep_for(100ms);
    }
}

int main()
{
    corolab::VirtualClock clock;
    corolab::Scheduler s{corolab::Scheduler::fifo, clock};

    s.spawn(printer('A'));
    s.spawn(printer('B'));
    s.spawn(printer('C'));
    s.run();
    return s.now() == 1s ? 0 : 1; // they have slept beside each other
}
