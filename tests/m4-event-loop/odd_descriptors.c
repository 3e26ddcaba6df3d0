/* odd_descriptors.c - Step 1: files, devices, numbers that are not open, and refused registrations.
 */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int open_file(const char *text)
{
    FILE *file = tmpfile();
    int fd;

    if (file == NULL) {
        fail_test("the test could not make a temporary file");
    }
    (void)fputs(text, file);
    (void)fflush(file);
    fd = dup(fileno(file));
    (void)fclose(file);
    (void)lseek(fd, 0, SEEK_SET);
    return fd;
}

static void file_scene(struct loop_lab *lab)
{
    int fds[2] = {open_file("line"), open("/dev/null", O_RDWR | O_CLOEXEC)};
    int pair[2];

    open_pair(pair);
    step("read from a regular file, then write to it: epoll refuses those");
    spawn(lab, awaiting(lab, "readable", event_loop_readable(lab->loop, fds[0])));
    run_all(lab);
    spawn(lab, reader(lab, "F", fds[0], 64, 64));
    run_all(lab);
    spawn(lab, awaiting(lab, "writable", event_loop_writable(lab->loop, fds[0])));
    spawn(lab, writer(lab, "F", fds[0], "more"));
    run_all(lab);
    expect_trace("readable:0@0 F:line F:end writable:0@0 F:done");

    trace_clear();
    step("the same with /dev/null, and then with a socket");
    spawn(lab, reader(lab, "N", fds[1], 64, 64));
    spawn(lab, writer(lab, "N", fds[1], "more"));
    spawn(lab, reader(lab, "S", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("N:end N:done S:hello");
    close_pair(lab, pair);
    close_pair(lab, fds);
}

LAB_TEST(files_do_not_wait)
{
    in_both_modes(file_scene);
}

/* One task, one await after the other: an error must leave nothing behind that disturbs the next.
 */
struct prober {
    task task;
    struct loop_lab *lab;
    int good;
    int bad; /* not open */
    intptr_t n;
    char bytes[8];
};

static void prober_body(co_handle frame)
{
    struct prober *self = (struct prober *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, -1, self->bytes, 8));
    expect_int("read(fd -1)", self->n, -EBADF);
    CO_AWAIT(self, self->n, event_loop_write(self->lab->loop, self->bad, "x", 1));
    expect_int("write to a descriptor that is not open", self->n, -EBADF);
    CO_AWAIT(self, self->n, event_loop_readable(self->lab->loop, self->bad));
    expect_int("readable of a descriptor that is not open", self->n, -EBADF);
    CO_AWAIT(self, self->n, event_loop_accept(self->lab->loop, INT32_MAX));
    expect_int("accept(fd 2147483647)", self->n, -EBADF);
    CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->good, self->bytes, 8));
    expect_int("read from a good descriptor", self->n, 5);
    CO_RETURN(self, self->n);
    CO_END(self);
}

static void bad_scene(struct loop_lab *lab)
{
    struct prober *self = malloc(sizeof *self);
    int pair[2];

    open_pair(pair);
    step("await descriptors that are not open, then one that is");
    self->lab = lab;
    self->good = pair[0];
    self->bad = pair[1] + 100;
    spawn(lab, task_init(&self->task, "prober", prober_body, NULL));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    close_pair(lab, pair);
}

LAB_TEST(bad_descriptor_is_an_error)
{
    in_both_modes(bad_scene);
}

static void refused_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("the kernel has no memory for the registration of a socket");
    inject_error(CALL_EPOLL_CTL, 1, 1, 1, ENOMEM);
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    run_all(lab);
    expect_trace("R:ENOMEM");

    trace_clear();
    step("read from it again: now there is memory");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("R:hello");
    close_pair(lab, pair);
}

LAB_TEST(refused_registration_is_an_error)
{
    in_both_modes(refused_scene);
}

LAB_TEST(first_use_makes_non_blocking)
{
    struct loop_lab lab;
    int pair[2];

    open_loop_lab(&lab, 0);
    open_pair(pair);
    step("a task reads from a socket that blocks; another sleeps for 10 ms");
    spawn(&lab, reader(&lab, "R", pair[0], 64, 5));
    spawn(&lab, awaiting(&lab, "sleep", sleep_for(lab.t, MILLISECONDS(10))));
    spawn(&lab, later(&lab, MILLISECONDS(20), say, &(struct speech){pair[1], "hello"}));
    run_all(&lab);
    expect_trace("sleep:0@10 R:hello");
    expect_true("the socket does not block any more", (fcntl(pair[0], F_GETFL) & O_NONBLOCK) != 0);
    close_pair(&lab, pair);
    close_loop_lab(&lab);
}

LAB_TEST(no_executor_no_wait)
{
    struct loop_lab lab;
    int pair[2];
    task *t;

    open_loop_lab(&lab, 0);
    open_pair(pair);
    step("resume a reader by hand: it belongs to no scheduler, and there is nothing to read");
    t = reader(&lab, "R", pair[0], 64, 5);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it has not suspended, for nobody could wake it", task_done(t));
    expect_trace("R:EINVAL");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    close_pair(&lab, pair);
    close_loop_lab(&lab);
}
