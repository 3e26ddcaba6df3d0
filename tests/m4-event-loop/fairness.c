/* fairness.c - Step 2 and 4: nobody who always has something to do keeps the others waiting. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* So few that virtual time does not take them for spinning, whoever is to blame. */
enum { OPERATIONS = 320 };

struct glutton {
    task task;
    struct loop_lab *lab;
    int fd;
    bool write; /* else read */
    int operations, wanted;
    intptr_t n;
    char byte;
};

static void glutton_body(co_handle frame)
{
    struct glutton *self = (struct glutton *)frame;

    CO_BEGIN(self);
    while (self->operations < self->wanted) {
        if (self->write) {
            CO_AWAIT(self, self->n, event_loop_write(self->lab->loop, self->fd, &self->byte, 1));
        } else {
            CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->fd, &self->byte, 1));
        }
        expect_int("the value of a transfer of one byte", self->n, 1);
        self->operations++;
    }
    CO_END(self);
}

/* Yields, and looks each time how far the other has got. */
struct watcher {
    task task;
    struct loop_lab *lab;
    const struct glutton *glutton;
    int before, most, turns;
};

static void watcher_body(co_handle frame)
{
    struct watcher *self = (struct watcher *)frame;

    CO_BEGIN(self);
    while (self->glutton->operations < self->glutton->wanted) {
        if (self->glutton->operations - self->before > self->most) {
            self->most = self->glutton->operations - self->before;
        }
        self->before = self->glutton->operations;
        self->turns++;
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    }
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

static void eat(struct loop_lab *lab, int fd, bool write)
{
    struct glutton glutton = {.lab = lab, .fd = fd, .write = write, .wanted = OPERATIONS};
    struct watcher watcher = {.lab = lab, .glutton = &glutton};

    start(lab, task_init(&glutton.task, "glutton", glutton_body, keep_frame));
    start(lab, task_init(&watcher.task, "watcher", watcher_body, keep_frame));
    run_all(lab);
    expect_int("operations in all", glutton.operations, glutton.wanted);
    expect_between("the most of them between two turns of the other task", watcher.most, 1, 16);
    expect_between("turns of the other task meanwhile", watcher.turns, OPERATIONS / 16,
                   OPERATIONS / 8);
}

static void sixteen_scene(struct loop_lab *lab)
{
    static const char bytes[OPERATIONS];
    int pair[2];
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    open_pair(pair);
    step("a task reads %d bytes that are there, one at a time; another yields", OPERATIONS);
    watch_calls(false);
    expect_int("bytes written to the other end", write(pair[1], bytes, OPERATIONS), OPERATIONS);
    watch_calls(true);
    eat(lab, pair[0], false);
    step("a task writes %d times to a file; another yields", OPERATIONS);
    eat(lab, null, true);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, null), 0);
    close_pair(lab, pair);
}

LAB_TEST(sixteen_operations_then_others)
{
    in_both_modes(sixteen_scene);
}

/* Runs for up to 1000 turns, until told that it is enough. At its turn number 5 it says something.
 */
struct busy {
    task task;
    struct loop_lab *lab;
    struct speech speech; /* fd -1: nothing */
    int64_t cost;         /* of a turn */
    bool sleep;           /* sleep_for(0), else yield */
    const bool *enough;
    int turns;
};

static void busy_body(co_handle frame)
{
    struct busy *self = (struct busy *)frame;

    CO_BEGIN(self);
    for (self->turns = 0; self->turns < 1000 && !*self->enough; self->turns++) {
        self->lab->v.time += self->cost;
        if (self->turns == 5 && self->speech.fd >= 0) {
            say(self->lab, &self->speech);
        }
        if (self->sleep) {
            CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, 0));
        } else {
            CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
        }
    }
    CO_END(self);
}

struct listener {
    task task;
    struct loop_lab *lab;
    int fd;
    bool *heard;
    intptr_t n;
    char bytes[8];
};

static void listener_body(co_handle frame)
{
    struct listener *self = (struct listener *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->fd, self->bytes, 8));
    *self->heard = true;
    CO_END(self);
}

static void be_busy(struct loop_lab *lab, bool sleep)
{
    bool heard = false;
    int pair[2];
    struct busy busy = {.lab = lab, .sleep = sleep, .enough = &heard};
    struct listener listener = {.lab = lab, .heard = &heard};

    open_pair(pair);
    busy.speech = (struct speech){pair[1], "hello"};
    listener.fd = pair[0];
    start(lab, task_init(&listener.task, "listener", listener_body, keep_frame));
    start(lab, task_init(&busy.task, "busy", busy_body, keep_frame));
    run_all(lab);
    expect_true("the reader went on", heard);
    expect_between("turns of the busy task before the reader went on", busy.turns, 6, 69);
    close_pair(lab, pair);
}

static void busy_scene(struct loop_lab *lab)
{
    step("one task yields all the time; another waits for data, which come at turn 5");
    be_busy(lab, false);
    step("the same with a task that sleeps for 0 ns all the time");
    be_busy(lab, true);
}

LAB_TEST(busy_tasks_do_not_delay_io)
{
    in_both_modes(busy_scene);
}

static void whistle(struct loop_lab *lab, void *enough)
{
    (void)lab;
    *(bool *)enough = true;
}

/* Two tasks throw a byte to and fro; each throw takes 1 ms. */
struct player {
    task task;
    struct loop_lab *lab;
    int fd;
    const bool *enough;
    int throws;
    intptr_t n;
    char ball;
};

static void player_body(co_handle frame)
{
    struct player *self = (struct player *)frame;

    CO_BEGIN(self);
    while (!*self->enough && self->throws < 500) {
        CO_AWAIT(self, self->n, event_loop_write(self->lab->loop, self->fd, &self->ball, 1));
        self->lab->v.time += MILLISECONDS(1);
        self->throws++;
        CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->fd, &self->ball, 1));
        if (self->n <= 0) {
            break;
        }
    }
    (void)event_loop_close(self->lab->loop, self->fd);
    CO_END(self);
}

static void game_scene(struct loop_lab *lab)
{
    bool enough = false;
    struct player players[2] = {{.lab = lab, .enough = &enough}, {.lab = lab, .enough = &enough}};
    int pair[2];

    open_pair(pair);
    step("two tasks throw a byte to and fro, 1 ms a throw; a third sleeps for 10 ms");
    for (int i = 0; i < 2; i++) {
        players[i].fd = pair[i];
        start(lab, task_init(&players[i].task, "player", player_body, keep_frame));
    }
    spawn(lab, later(lab, MILLISECONDS(10), whistle, &enough));
    run_all(lab);
    expect_between("throws before the sleeper went on", players[0].throws + players[1].throws, 10,
                   16);
}

static void yield_scene(struct loop_lab *lab)
{
    bool enough = false;
    struct busy busy = {.lab = lab, .speech = {-1, ""}, .cost = MILLISECONDS(1), .enough = &enough};
    int pair[2];

    open_pair(pair);
    step("a task yields all the time, 1 ms a turn; another waits for data, a third sleeps for 10 "
         "ms");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), whistle, &enough));
    start(lab, task_init(&busy.task, "busy", busy_body, keep_frame));
    spawn(lab, later(lab, MILLISECONDS(50), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_between("turns before the sleeper went on", busy.turns, 10, 12);
    expect_trace("R:hello");
    close_pair(lab, pair);
}

LAB_TEST(busy_loop_does_not_delay_timers)
{
    in_both_modes(yield_scene);
    in_both_modes(game_scene);
}
