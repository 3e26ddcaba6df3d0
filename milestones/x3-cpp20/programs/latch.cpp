// latch.cpp - two wait until a latch has been counted down twice. Who comes late does not wait.
#include "corolab.hpp"
#include "corolab/sync.hpp"

#include <iostream>

static corolab::Task<> wait(corolab::latch &gate, int &passed)
{
    co_await gate.wait();
    passed++;
}

int main()
{
    corolab::Scheduler s;
    corolab::latch two{2}, three{3};
    int passed = 0, passed_three = 0;

    s.spawn(wait(two, passed));
    s.spawn(wait(two, passed));
    s.run();
    two.count_down();
    s.run();
    std::cout << "after the first count_down: " << passed << '\n';
    two.count_down();
    s.run();
    std::cout << "after the second: " << passed << '\n';

    auto late = wait(two, passed);
    late.resume();
    std::cout << "a late one does not suspend: " << late.done() << '\n';

    s.spawn(wait(three, passed_three));
    s.run();
    three.count_down(3);
    s.run();
    std::cout << "after count_down(3): " << passed_three << '\n';
}
