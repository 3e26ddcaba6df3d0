/* cancel.c - Step 6: cancel and close wake whoever waits. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void cancel_it(struct loop_lab *lab, void *fd)
{
    watch_calls(true);
    expect_int("event_loop_cancel(loop, fd)", event_loop_cancel(lab->loop, *(int *)fd), 0);
}

static void close_it(struct loop_lab *lab, void *fd)
{
    watch_calls(true);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, *(int *)fd), 0);
    *(int *)fd = -1;
}

/* Two readers and two writers wait for pair[0]. */
static void crowd(struct loop_lab *lab, int pair[2])
{
    open_pair(pair);
    (void)fill(pair[0]);
    step("two readers and two writers wait for one socket");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, writer(lab, "W", pair[0], "text"));
}

static int count_words(const char *word)
{
    int count = 0;

    for (const char *at = strstr(trace_text(), word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* In which order they are woken is not promised. */
static void expect_all_cancelled(void)
{
    expect_int("how many readers got -ECANCELED", count_words("R:ECANCELED"), 2);
    expect_int("how many writers got -ECANCELED", count_words("W:ECANCELED"), 2);
    expect_int("how many went on in all", count_words(":"), 4);
}

static void cancel_scene(struct loop_lab *lab)
{
    int pair[2];

    crowd(lab, pair);
    step("cancel it");
    spawn(lab, later(lab, MILLISECONDS(10), cancel_it, &pair[0]));
    run_all(lab);
    expect_all_cancelled();

    trace_clear();
    step("the socket is still open, and can be waited for again");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("R:hello");
    close_pair(lab, pair);
}

LAB_TEST(cancel_wakes_every_waiter)
{
    in_both_modes(cancel_scene);
}

static void close_scene(struct loop_lab *lab)
{
    int pair[2];
    int fd;

    crowd(lab, pair);
    fd = pair[0];
    step("close it through the loop");
    spawn(lab, later(lab, MILLISECONDS(10), close_it, &pair[0]));
    run_all(lab);
    expect_all_cancelled();
    expect_int("fcntl of the number: it is closed", fcntl(fd, F_GETFD), -1);
    close_pair(lab, pair);
}

LAB_TEST(close_wakes_every_waiter)
{
    in_both_modes(close_scene);
}

static void wrong_scene(struct loop_lab *lab)
{
    int pair[2];
    int number;

    open_pair(pair);
    number = pair[1] + 200;
    step("cancel and close what is not open, or not known to the loop");
    expect_int("event_loop_cancel(loop, -1)", event_loop_cancel(lab->loop, -1), -EBADF);
    expect_int("event_loop_close(loop, -1)", event_loop_close(lab->loop, -1), -EBADF);
    expect_int("event_loop_close of a number that is not open", event_loop_close(lab->loop, number),
               -EBADF);
    expect_int("event_loop_cancel of a socket that the loop does not know",
               event_loop_cancel(lab->loop, pair[0]), 0);
    expect_int("event_loop_close of a socket that the loop does not know",
               event_loop_close(lab->loop, pair[0]), 0);
    expect_int("event_loop_close of it, again", event_loop_close(lab->loop, pair[0]), -EBADF);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, pair[1]), 0);
}

LAB_TEST(closing_what_is_not_open_is_an_error)
{
    in_both_modes(wrong_scene);
}

static void reopened_scene(struct loop_lab *lab)
{
    int pair[2];

    for (int i = 0; i < 3; i++) {
        trace_clear();
        open_pair(pair);
        step("open a socket, wait for it, close it: round %d, with the same number", i + 1);
        spawn(lab, reader(lab, "R", pair[0], 64, 5));
        spawn(lab, writer(lab, "W", pair[0], "text"));
        spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
        run_all(lab);
        expect_trace("W:done R:hello");
        close_pair(lab, pair);
    }
}

LAB_TEST(number_can_be_used_again)
{
    in_both_modes(reopened_scene);
}
