/* several_clients.c - Step 2: clients that are coroutines of the same loop, and one in a thread. */
#include "client.h"
#include "lab_test.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 8, LENGTH = 20000 };

/* A client that sends its bytes in pieces, reads each piece back, ends sending, and reads the end.
 */
struct coroutine_client {
    task task;
    struct server_lab *lab;
    int fd;
    size_t piece;
    size_t sent, got;
    intptr_t n;
    struct sockaddr_in address;
    char bytes[LENGTH];
    char back[LENGTH];
};

static void client_body(co_handle frame)
{
    struct coroutine_client *self = (struct coroutine_client *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n,
             event_loop_connect(self->lab->loop, self->fd, (struct sockaddr *)&self->address,
                                sizeof self->address));
    expect_int("connect", self->n, 0);
    while (self->got < LENGTH) {
        if (self->sent == self->got) {
            CO_AWAIT(self, self->n,
                     event_loop_write(self->lab->loop, self->fd, self->bytes + self->sent,
                                      LENGTH - self->sent < self->piece ? LENGTH - self->sent
                                                                        : self->piece));
            expect_true("a client can write", self->n > 0);
            self->sent += (size_t)self->n;
        }
        CO_AWAIT(
            self, self->n,
            event_loop_read(self->lab->loop, self->fd, self->back + self->got, LENGTH - self->got));
        expect_between("what a client reads", self->n, 1, (int64_t)(self->sent - self->got));
        self->got += (size_t)self->n;
    }
    (void)shutdown(self->fd, SHUT_WR);
    CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->fd, self->back, 1));
    expect_int("what a client reads at the end", self->n, 0);
    expect_int("event_loop_close(loop, fd)", event_loop_close(self->lab->loop, self->fd), 0);
    CO_END(self);
}

struct stopper {
    task task;
    struct server_lab *lab;
    int64_t after;
};

static void stopper_body(co_handle frame)
{
    struct stopper *self = (struct stopper *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->after));
    echo_server_stop(self->lab->server);
    CO_END(self);
}

static void stop_later(struct server_lab *lab, int64_t after)
{
    struct stopper *self = malloc(sizeof *self);

    self->lab = lab;
    self->after = after;
    expect_int("scheduler_spawn(s, task)",
               scheduler_spawn(lab->s, task_init(&self->task, "stopper", stopper_body, NULL)), 0);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

static void clients_on_the_loop(void)
{
    static struct coroutine_client clients[CLIENTS];
    struct server_lab lab;
    intptr_t cut;
    int64_t at;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    step("%d clients, coroutines of the server's loop, exchange %d bytes each, all different; then "
         "the server is stopped",
         CLIENTS, LENGTH);
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct coroutine_client *self = &clients[i];

        *self = (struct coroutine_client){.lab = &lab, .piece = 100 + 700 * i};
        self->address = (struct sockaddr_in){.sin_family = AF_INET};
        self->address.sin_port = htons(echo_server_port(lab.server));
        self->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        self->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        fill_pattern(self->bytes, LENGTH, i);
        expect_int(
            "scheduler_spawn(s, client)",
            scheduler_spawn(lab.s, task_init(&self->task, "client", client_body, keep_frame)), 0);
    }
    stop_later(&lab, SECONDS(1));
    await_drained(&lab, &cut, &at);
    run_out(&lab);
    for (int i = 0; i < CLIENTS; i++) {
        expect_bytes("the echo", clients[i].back + 1, clients[i].got - 1, clients[i].bytes + 1,
                     LENGTH - 1);
    }
    expect_int("the value of echo_server_drained", cut, 0);
    expect_int("stats.accepted", (intptr_t)echo_server_get_stats(lab.server).accepted, CLIENTS);
    expect_int("stats.bytes", (intptr_t)echo_server_get_stats(lab.server).bytes, CLIENTS * LENGTH);
    expect_int("stats.errors", (intptr_t)echo_server_get_stats(lab.server).errors, 0);
    close_server_lab(&lab);
}

struct thread_client {
    struct server_lab *lab;
    int fd;
    size_t got;
    char bytes[LENGTH];
    char back[LENGTH];
    ssize_t end;
};

/* A client as one writes it first: blocking calls. */
static void *be_client(void *context)
{
    struct thread_client *self = context;
    ssize_t n = 1;

    watch_calls(false);
    for (size_t sent = 0; sent < LENGTH && n > 0; sent += (size_t)(n > 0 ? n : 0)) {
        n = send(self->fd, self->bytes + sent, LENGTH - sent, MSG_NOSIGNAL);
    }
    while (self->got < LENGTH && n > 0) {
        n = read(self->fd, self->back + self->got, LENGTH - self->got);
        self->got += n > 0 ? (size_t)n : 0;
    }
    (void)shutdown(self->fd, SHUT_WR);
    self->end = read(self->fd, self->back, 1);
    return NULL;
}

static void client_in_a_thread(void)
{
    static struct thread_client client;
    struct server_lab lab;
    pthread_t thread;

    open_real_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    step("on real time, a client in another thread sends %d bytes, reads them back, ends and reads "
         "the end; the server is stopped meanwhile",
         LENGTH);
    fill_pattern(client.bytes, LENGTH, 7);
    client.lab = &lab;
    client.fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(20));
    expect_int("pthread_create", pthread_create(&thread, NULL, be_client, &client), 0);
    stop_later(&lab, MILLISECONDS(50));
    run_out(&lab);
    (void)pthread_join(thread, NULL);
    expect_bytes("the echo", client.back + 1, client.got - 1, client.bytes + 1, LENGTH - 1);
    expect_int("what the client read at the end", client.end, 0);
    close_client(client.fd);
    close_server_lab(&lab);
}

static void one_in_the_middle_of_a_transfer(void)
{
    enum { MUCH = 300 * 1000 };
    struct server_lab lab;
    size_t sent;
    int others[2];
    int slow;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    slow = connect_small_client(&lab);
    step("a client sends as much as it can, and reads nothing: the server has begun to write, and "
         "waits");
    sent = send_until_stuck(&lab, slow, 8);
    for (unsigned i = 0; i < 2; i++) {
        step("meanwhile another sends %d bytes, and reads them back", MUCH);
        others[i] = connect_client(&lab);
        exchange(&lab, others[i], MUCH, 9 + i);
    }
    step("now the first one reads: it gets its own bytes");
    expect_pattern(&lab, slow, 0, sent, 8);
    close_client(others[0]);
    close_client(others[1]);
    close_client(slow);
    close_server_lab(&lab);
}

LAB_TEST(several_clients_at_once)
{
    one_in_the_middle_of_a_transfer();
    clients_on_the_loop();
    client_in_a_thread();
}
