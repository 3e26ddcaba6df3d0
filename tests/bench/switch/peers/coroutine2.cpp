// switch, by Boost.Coroutine2.
#include "boost_stacks.hpp"
#include "measure.h"

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), turns = argument(argc, argv, 2);
    int64_t began = 0, ended = 0;
    boost_scheduler scheduler;

    for (long i = 0; i < tasks; i++) {
        scheduler.spawn([&, first = i == 0](boost_scheduler::suspend &yield) {
            if (first) {
                began = processor_ns();
            }
            for (long left = turns; left > 0; left--) {
                yield();
            }
            if (first) {
                ended = processor_ns();
            }
        });
    }
    scheduler.run();
    report_each(ended - began, tasks * turns);
}
