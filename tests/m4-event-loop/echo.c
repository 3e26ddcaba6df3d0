/* echo.c - Step 7: a whole echo, with a client in another thread, which then stops the idle loop. */
#include "lab_test.h"
#include "sockets.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

struct echo {
    task task;
    struct loop_lab *lab;
    int listener;
    intptr_t fd, n;
    size_t sent;
    char buffer[64];
};

static void echo_body(co_handle frame)
{
    struct echo *self = (struct echo *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->fd, event_loop_accept(self->lab->loop, self->listener));
    for (;;) {
        CO_AWAIT(
            self, self->n,
            event_loop_read(self->lab->loop, (int)self->fd, self->buffer, sizeof self->buffer));
        if (self->n <= 0) {
            break;
        }
        for (self->sent = 0; self->sent < (size_t)self->n;) {
            CO_AWAIT(self, self->task.ignored,
                     event_loop_write(self->lab->loop, (int)self->fd, self->buffer + self->sent,
                                      (size_t)self->n - self->sent));
            self->sent += (size_t)self->task.ignored;
        }
    }
    expect_int("event_loop_close(loop, fd)", event_loop_close(self->lab->loop, (int)self->fd), 0);
    /* As a server would, it waits for the next. */
    CO_AWAIT(self, self->fd, event_loop_accept(self->lab->loop, self->listener));
    CO_END(self);
}

struct client {
    struct loop_lab *lab;
    int listener;
    char answer[16];
    size_t length;
};

static void *be_client(void *context)
{
    struct client *self = context;
    int fd = connect_to(self->listener, true);
    const struct timespec pause = {0, 50 * 1000 * 1000};
    ssize_t n = 1;

    watch_calls(false);
    if (write(fd, "hello", 5) == 5) {
        while (self->length < 5 && n > 0) {
            n = read(fd, self->answer + self->length, 5 - self->length);
            self->length += n > 0 ? (size_t)n : 0;
        }
    }
    (void)close(fd);
    (void)nanosleep(&pause, NULL); /* the loop is idle now */
    event_loop_stop(self->lab->loop);
    return NULL;
}

LAB_TEST(hello_comes_back)
{
    for (unsigned options = 0; options <= EVENT_LOOP_LEVEL_TRIGGERED; options++) {
        struct loop_lab lab;
        struct client client = {.lab = &lab, .listener = open_listener(4)};
        struct echo *self = calloc(1, sizeof *self);
        pthread_t thread;

        open_real_loop_lab(&lab, options);
        step("a task echoes; a client in another thread says hello, and then stops the idle loop "
             "(%s-triggered)",
             options == 0 ? "edge" : "level");
        self->lab = &lab;
        self->listener = client.listener;
        spawn(&lab, task_init(&self->task, "echo", echo_body, NULL));
        expect_int("pthread_create", pthread_create(&thread, NULL, be_client, &client), 0);
        run_all(&lab);
        (void)pthread_join(thread, NULL);
        expect_bytes("what the client got", client.answer, client.length, "hello", 5);
        close_loop_lab(&lab);
        (void)close(client.listener);
    }
}
