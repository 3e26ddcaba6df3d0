/* gate.c - see gate.h. */
#include "gate.h"
#include "lab_test.h"

static bool gate_ready(awaiter *a)
{
    (void)a;
    return false;
}

static bool gate_suspend(awaiter *a, co_handle waiter)
{
    struct gate *gate = a->buffer;

    (void)waiter;
    a->source = gate;
    gate->waiting = a;
    return true;
}

static intptr_t gate_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void gate_cancel(awaiter *a)
{
    struct gate *gate = a->buffer;

    gate->cancelled++;
    gate->was_waiting = a->source != NULL;
    gate->waiting = NULL;
    a->source = NULL;
}

awaiter gate_wait(struct gate *gate)
{
    static const awaiter_type type = {"gate",      gate_ready,  gate_suspend,
                                      gate_resume, gate_cancel, NULL};

    return (awaiter){.type = &type, .buffer = gate};
}

void gate_open(struct gate *gate, intptr_t value)
{
    awaiter *a = gate->waiting;

    if (a == NULL) {
        fail_test("nobody waits at the gate any more");
    }
    gate->waiting = NULL;
    co_wake(a, value);
}
