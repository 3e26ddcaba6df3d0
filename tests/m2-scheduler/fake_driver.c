/* fake_driver.c - see fake_driver.h. */
#include "fake_driver.h"
#include "lab_test.h"

static bool fake_pending(driver *self)
{
    const struct fake_driver *d = (const struct fake_driver *)self;

    return d->opened < d->count;
}

static int fake_poll(driver *self, bool may_block)
{
    struct fake_driver *d = (struct fake_driver *)self;
    bool due;

    d->polls++;
    d->blocked += may_block;
    if (d->tells) {
        trace(may_block ? "block" : "poll");
    }
    if (may_block && d->opened == d->count) {
        fail_test("the driver may block for ever: nobody waits there, but poll was called with "
                  "may_block");
    }
    due = may_block || (d->patience != 0 && d->polls % d->patience == 0);
    if (d->result == 0 && due && d->opened < d->count) {
        d->opened++;
        gate_open(&d->gates[d->opened - 1], d->opened);
    }
    return d->result;
}

void fake_driver_init(struct fake_driver *d, int count)
{
    *d = (struct fake_driver){.driver = {fake_pending, fake_poll}, .count = count};
}
