/* stop.c - Step 7: the end of a run, by itself and on demand. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static void pause_for(long milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000 * 1000};

    (void)nanosleep(&pause, NULL);
}

static void work_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("nothing to do");
    run_all(lab);
    step("one task waits for data, which come after 10 ms; the run must not end before");
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    run_all(lab);
    expect_trace("R:hello");
    expect_true("scheduler_has_work(s) is false", !scheduler_has_work(lab->s));
    close_pair(lab, pair);
}

LAB_TEST(run_ends_when_all_is_done)
{
    in_both_modes(work_scene);
}

static void stuck_scene(struct loop_lab *lab)
{
    step("one task sleeps, two wait for something that never comes");
    spawn(lab, awaiting(lab, "stuck", co_suspend_always()));
    spawn(lab, awaiting(lab, "stuck", co_suspend_always()));
    spawn(lab, awaiting(lab, "sleep", sleep_for(lab->t, MILLISECONDS(10))));
    expect_int("event_loop_run(loop): two tasks are stuck", event_loop_run(lab->loop), 2);
    expect_trace("sleep:0@10");
}

LAB_TEST(dead_lock_ends_the_run)
{
    in_both_modes(stuck_scene);
}

static void *stop_after_a_while(void *loop)
{
    watch_calls(false);
    pause_for(100);
    event_loop_stop(loop);
    return NULL;
}

LAB_TEST(stop_wakes_an_idle_loop)
{
    struct loop_lab lab;
    pthread_t thread;
    int pair[2];

    for (unsigned options = 0; options <= EVENT_LOOP_LEVEL_TRIGGERED; options++) {
        open_real_loop_lab(&lab, options);
        open_pair(pair);
        step(
            "on real time a task waits for data that never come; after 100 ms another thread stops "
            "the loop (%s-triggered)",
            options == 0 ? "edge" : "level");
        spawn(&lab, reader(&lab, "R", pair[0], 64, 5));
        expect_int("pthread_create", pthread_create(&thread, NULL, stop_after_a_while, lab.loop),
                   0);
        run_all(&lab);
        (void)pthread_join(thread, NULL);
        expect_trace("");
        close_pair(&lab, pair);
        close_loop_lab(&lab);
        trace_clear();
    }
}

static event_loop *loop_of_the_signal;

static void stop_by_signal(int number)
{
    (void)number;
    event_loop_stop(loop_of_the_signal);
}

/* The code that a handler interrupts may be about to look at errno. */
static void errno_scene(struct loop_lab *lab)
{
    step("stop the loop twice while errno is ENOTTY; the second time the loop's write says EAGAIN");
    errno = ENOTTY;
    event_loop_stop(lab->loop);
    expect_int("-errno afterwards", -errno, -ENOTTY);
    inject_error(CALL_WRITE, 1, 1, 1, EAGAIN);
    errno = ENOTTY;
    event_loop_stop(lab->loop);
    expect_int("-errno afterwards", -errno, -ENOTTY);
    inject_error(CALL_WRITE, 1, 1, 0, 0);
    run_all(lab);
}

static void stop_by_alarm(void)
{
    struct sigaction action = {.sa_handler = stop_by_signal, .sa_flags = SA_RESTART};
    struct itimerval once = {{0, 0}, {0, 50 * 1000}};
    struct loop_lab lab;
    int pair[2];

    open_real_loop_lab(&lab, 0);
    open_pair(pair);
    step("on real time a task waits for data that never come; after 50 ms a signal handler stops "
         "the "
         "loop");
    loop_of_the_signal = lab.loop;
    (void)sigaction(SIGALRM, &action, NULL);
    spawn(&lab, reader(&lab, "R", pair[0], 64, 5));
    (void)setitimer(ITIMER_REAL, &once, NULL);
    run_all(&lab);
    expect_trace("");
    close_pair(&lab, pair);
    close_loop_lab(&lab);
}

LAB_TEST(stop_from_a_signal_handler)
{
    in_both_modes(errno_scene);
    stop_by_alarm();
}

static void early_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("stop the loop before it runs, while a task would wait for ever");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    event_loop_stop(lab->loop);
    run_all(lab);
    step("run it again: the stop counted once");
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("R:hello");

    trace_clear();
    step("two stops before a run count as one");
    event_loop_stop(lab->loop);
    event_loop_stop(lab->loop);
    spawn(lab, awaiting(lab, "sleep", sleep_for(lab->t, MILLISECONDS(10))));
    run_all(lab);
    expect_trace("");
    run_all(lab);
    expect_trace("sleep:0@20");
    close_pair(lab, pair);
}

LAB_TEST(stop_before_the_run_counts)
{
    in_both_modes(early_scene);
}

struct stopper {
    task task;
    struct loop_lab *lab;
    char name;
    bool stop;
};

static void stopper_body(co_handle frame)
{
    struct stopper *self = (struct stopper *)frame;

    CO_BEGIN(self);
    trace("%c1", self->name);
    if (self->stop) {
        event_loop_stop(self->lab->loop);
    }
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    trace("%c2", self->name);
    CO_END(self);
}

static void round_scene(struct loop_lab *lab)
{
    step("three tasks; the first stops the loop in its first turn");
    for (int i = 0; i < 3; i++) {
        struct stopper *self = malloc(sizeof *self);

        *self = (struct stopper){.lab = lab, .name = (char)('A' + i), .stop = i == 0};
        spawn(lab, task_init(&self->task, "stopper", stopper_body, NULL));
    }
    run_all(lab);
    expect_trace("A1 B1 C1");
    step("run it again");
    run_all(lab);
    expect_trace("A1 B1 C1 A2 B2 C2");
}

LAB_TEST(stop_ends_the_round)
{
    in_both_modes(round_scene);
}

static void after_scene(struct loop_lab *lab)
{
    unsigned long before;

    step("a task stops the loop after 10 ms; then the loop runs again, for 10 sleeps");
    spawn(lab, later(lab, MILLISECONDS(10), stop_loop, NULL));
    spawn(lab, awaiting(lab, "far", sleep_for(lab->t, MILLISECONDS(30))));
    run_all(lab);
    expect_trace("");
    before = call_count(CALL_EPOLL_WAIT);
    for (int i = 1; i <= 10; i++) {
        spawn(lab, awaiting(lab, "s", sleep_for(lab->t, MILLISECONDS(i))));
    }
    run_all(lab);
    expect_trace("s:0@11 s:0@12 s:0@13 s:0@14 s:0@15 s:0@16 s:0@17 s:0@18 s:0@19 s:0@20 far:0@30");
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - before), 11, 15);
}

LAB_TEST(stop_is_over_when_it_is_obeyed)
{
    in_both_modes(after_scene);
}

static void late_scene(struct loop_lab *lab)
{
    step("a task stops the loop and ends; nothing else is left to do");
    spawn(lab, later(lab, MILLISECONDS(1), stop_loop, NULL));
    run_all(lab);
    step("run again, with a task that sleeps for 10 ms");
    spawn(lab, awaiting(lab, "sleep", sleep_for(lab->t, MILLISECONDS(10))));
    run_all(lab);
    expect_trace("sleep:0@11");
}

LAB_TEST(stop_that_comes_too_late_is_forgotten)
{
    in_both_modes(late_scene);
}
