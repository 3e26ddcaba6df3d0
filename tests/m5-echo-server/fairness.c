/* fairness.c - Step 3: neither a client that always has data nor a flood of them delays the others.
 */
#include "client.h"
#include "lab_test.h"

#include <sys/socket.h>

enum { FLOOD = 100, TURNS = 64, READS = 64 };

/* In each of its turns it keeps the fast client busy, and looks whether the slow one has its echo.
 */
struct watcher {
    task task;
    struct server_lab *lab;
    int fast; /* -1: there is none */
    int slow;
    int turns;
    uint64_t accepted;   /* when the echo was there, */
    unsigned long reads; /* and how often the server had read since it was sent */
    bool echoed;
};

static char noise[64 * 1024];

static void keep_busy(int fd)
{
    static char back[256 * 1024];

    watch_calls(false);
    (void)recv(fd, back, sizeof back, MSG_DONTWAIT);
    (void)send(fd, noise, sizeof noise, MSG_DONTWAIT | MSG_NOSIGNAL);
    watch_calls(true);
}

static bool has_echo(int fd)
{
    char byte;
    ssize_t n;

    watch_calls(false);
    n = recv(fd, &byte, 1, MSG_DONTWAIT);
    watch_calls(true);
    return n == 1;
}

static void watcher_body(co_handle frame)
{
    struct watcher *self = (struct watcher *)frame;

    CO_BEGIN(self);
    for (self->turns = 0; self->turns < 1000 && !self->echoed; self->turns++) {
        if (self->fast >= 0) {
            keep_busy(self->fast);
        }
        if (self->turns == 5) {
            send_text(self->slow, "x");
            self->reads = call_count(CALL_READ);
        }
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
        self->echoed = has_echo(self->slow);
    }
    self->accepted = echo_server_get_stats(self->lab->server).accepted;
    self->reads = call_count(CALL_READ) - self->reads;
    CO_RETURN(self, self->turns);
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

static void watch(struct watcher *watcher)
{
    task *t = task_init(&watcher->task, "watcher", watcher_body, keep_frame);

    expect_int("block_on(watcher)", scheduler_block_on(watcher->lab->s, t, NULL), 0);
    expect_true("the other client gets its echo", watcher->echoed);
}

static void busy_client(void)
{
    struct server_lab lab;
    struct watcher watcher = {.lab = &lab};

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    watcher.fast = connect_client(&lab);
    watcher.slow = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    step("one client has always more to send; another sends one byte");
    watch(&watcher);
    expect_between("turns until its echo was there", watcher.turns, 6, 5 + TURNS);

    step("the same, and the kernel gives 16 bytes at a time");
    limit_transfer(CALL_READ, 16);
    watcher.echoed = false;
    watch(&watcher);
    expect_between("reads until its echo was there", (int64_t)watcher.reads, 1, READS);
    limit_transfer(CALL_READ, 0);
    close_client(watcher.fast);
    close_client(watcher.slow);
    close_server_lab(&lab);
}

static void flood_of_connects(void)
{
    struct server_lab lab;
    struct watcher watcher = {.lab = &lab, .fast = -1};
    int flood[FLOOD];

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    watcher.slow = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    step("%d clients connect at once while another sends a byte", FLOOD);
    for (int i = 0; i < FLOOD; i++) {
        flood[i] = connect_client(&lab);
    }
    send_text(watcher.slow, "y");
    watch(&watcher);
    expect_between("connections accepted before its echo was there", (int64_t)watcher.accepted, 1,
                   FLOOD - 1);
    let_pass(&lab, MILLISECONDS(1));
    expect_int("stats.accepted in the end", (intptr_t)echo_server_get_stats(lab.server).accepted,
               FLOOD + 1);
    for (int i = 0; i < FLOOD; i++) {
        close_client(flood[i]);
    }
    close_client(watcher.slow);
    close_server_lab(&lab);
}

LAB_TEST(nobody_keeps_others_waiting)
{
    busy_client();
    flood_of_connects();
}
