/* draining.pml - the pool goes when all is done, and not before: parking_drain, sleeping.c, offload.c.
 *
 * A body ends, or waits for a timer, which is counted in `expected` from its await_suspend to its
 * await_resume. The thread for timers makes it ready again. parking.pml has shown that no wake-up is lost;
 * here looking into the queues, and waking, are one step.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TASKS
#define TASKS 2
#endif
#ifndef SLEEPS
#define SLEEPS 2
#endif

byte fresh = TASKS, due; /* strands in queues: that begin, and whose sleep is over */
byte sleeping;           /* strands in the heap of timers */
byte sleeps = SLEEPS;
byte expected, done;

bool lock, draining, closed, signalled;
bool asleep[WORKERS];
byte count;

inline wake_one()
{
    atomic {
        !lock;
        if
        :: asleep[0] -> asleep[0] = false; count--
        :: asleep[1] -> asleep[1] = false; count--
        :: else
        fi
    }
}

proctype worker(byte me)
{
    do
    :: atomic { fresh > 0 -> fresh-- };
        goto body
    :: atomic { due > 0 -> due-- };
#if !defined(TIMER_COUNTS_DOWN_FIRST) && !defined(TIMER_COUNTS_DOWN_LAST)
        expected--; /* its await_resume */
#endif
        goto body
    :: atomic { !lock && fresh + due == 0 && !closed -> lock = true; asleep[me] = true; count++ };
#ifndef NO_SIGNAL
        if
        :: draining && count == WORKERS -> signalled = true
        :: else
        fi;
#endif
        lock = false;
end_asleep:
        !asleep[me]
    :: closed && fresh + due == 0 -> break;
body:
        if
        :: d_step { sleeps > 0 -> sleeps-- };
#ifndef SLEEPERS_ARE_NOT_COUNTED
            expected++; /* its await_suspend */
#endif
            sleeping++
        :: done++
        fi
    od
}

active proctype timer()
{
end_idle:
    do
    :: atomic { sleeping > 0 -> sleeping-- };
#ifdef TIMER_COUNTS_DOWN_FIRST
        expected--;
#endif
        due++;
        wake_one();
#ifdef TIMER_COUNTS_DOWN_LAST
        expected--
#endif
    od
}

active proctype destroyer()
{
    byte i;

    atomic { !lock -> lock = true };
    draining = true;
    do
    :: count == WORKERS && expected == 0 && fresh + due == 0 -> break
    :: else -> /* pthread_cond_wait */
        d_step { signalled = false; lock = false };
        signalled;
        atomic { !lock -> lock = true }
    od;
    assert(done == TASKS);
    closed = true;
    for (i : 0 .. WORKERS - 1) {
        asleep[i] = false
    }
    lock = false
}

init
{
    byte w;

    atomic {
        for (w : 0 .. WORKERS - 1) {
            run worker(w)
        }
    }
    timeout -> assert(closed)
}
