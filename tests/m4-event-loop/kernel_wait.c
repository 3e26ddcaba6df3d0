/* kernel_wait.c - Step 4: the wait in the kernel: interrupted, failed, and undisturbed. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t real_time(void)
{
    return lab_clock_monotonic()->now(lab_clock_monotonic());
}

static void interrupted_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("signals interrupt many calls of epoll_wait");
    inject_error(CALL_EPOLL_WAIT, 1, 2, 20, EINTR);
    spawn(lab, awaiting(lab, "sleep", sleep_for(lab->t, MILLISECONDS(50))));
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("R:hello sleep:0@50");
    inject_error(CALL_EPOLL_WAIT, 0, 0, 0, 0);
    close_pair(lab, pair);
}

static void ignore_alarm(int number)
{
    (void)number;
}

static void real_signals(void)
{
    struct sigaction action = {.sa_handler = ignore_alarm};
    struct itimerval often = {{0, 2000}, {0, 2000}};
    struct itimerval never = {{0, 0}, {0, 0}};
    struct loop_lab lab;
    int64_t began;

    open_real_loop_lab(&lab, 0);
    step("on real time a task sleeps for 60 ms; a signal comes every 2 ms");
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    began = real_time();
    spawn(&lab, later(&lab, MILLISECONDS(60), stop_loop, NULL));
    run_all(&lab);
    (void)setitimer(ITIMER_REAL, &never, NULL);
    expect_time("how long it slept", real_time() - began, MILLISECONDS(60), MILLISECONDS(1500));
    close_loop_lab(&lab);
}

LAB_TEST(interrupted_wait_goes_on)
{
    in_both_modes(interrupted_scene);
    real_signals();
}

LAB_TEST(failed_wait_ends_the_run)
{
    struct loop_lab lab;
    int pair[2];
    unsigned long before;

    open_loop_lab(&lab, 0);
    open_pair(pair);
    step("a task reads, and epoll_wait fails with EBADF");
    spawn(&lab, reader(&lab, "R", pair[0], 64, 5));
    before = call_count(CALL_EPOLL_WAIT);
    inject_error(CALL_EPOLL_WAIT, 1, 1, 100000, EBADF);
    expect_int("event_loop_run(loop)", event_loop_run(lab.loop), -EBADF);
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - before), 1, 3);
    inject_error(CALL_EPOLL_WAIT, 0, 0, 0, 0);
    close_pair(&lab, pair);
    close_loop_lab(&lab);
}

static int64_t cpu_time(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

static void *say_hello_later(void *fd)
{
    const struct timespec pause = {0, 150 * 1000 * 1000};

    watch_calls(false);
    (void)nanosleep(&pause, NULL);
    return (void *)(intptr_t)write(*(int *)fd, "hello", 5);
}

LAB_TEST(idle_loop_sleeps_in_the_kernel)
{
    struct loop_lab lab;
    pthread_t thread;
    int pair[2];
    int64_t cpu;
    unsigned long before;

    open_real_loop_lab(&lab, 0);
    open_pair(pair);
    step("on real time, one task waits for data, which a thread writes after 150 ms");
    spawn(&lab, reader(&lab, "R", pair[0], 64, 5));
    before = call_count(CALL_EPOLL_WAIT);
    cpu = cpu_time();
    expect_int("pthread_create", pthread_create(&thread, NULL, say_hello_later, &pair[1]), 0);
    run_all(&lab);
    expect_trace("R:hello");
    expect_time("processor time used meanwhile", cpu_time() - cpu, 0, MILLISECONDS(60));
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - before), 1, 3);
    expect_int("the time-out of the wait that ended",
               epoll_timeout(call_count(CALL_EPOLL_WAIT) - 1), -1);
    (void)pthread_join(thread, NULL);
    close_pair(&lab, pair);
    close_loop_lab(&lab);
}
