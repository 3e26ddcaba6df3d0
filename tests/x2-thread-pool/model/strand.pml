/* strand.pml - one coroutine at a time, no wake-up lost, nobody looks at what is freed: strand.c and
 * joining.c.
 *
 * One strand, which awaits something AWAITS times and then ends; WORKERS workers, a thread that wakes it
 * whenever it has told what it waits for, and a coroutine on some other worker that joins it.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef AWAITS
#define AWAITS 3
#endif
#define READY   1
#define RUNNING 2

byte state = READY, queued = 1; /* the strand: its word, and in how many queues it is */
byte awaits = AWAITS;
bool told;                      /* the body has told the source of events whom to wake */
bool ended, freed;
byte on_stack;                  /* how many workers are inside of it */

mtype = {nobody, awaiter, end}
mtype heir = nobody; /* strand->heir */
bool woken;          /* the joining one */

/* Each access to the strand. */
inline look() { assert(!freed) }

active [WORKERS] proctype worker()
{
    byte before;
    mtype who;

end_idle:
    do
    :: atomic { queued > 0 -> queued-- };
        d_step { look(); state = RUNNING };         /* strand_begin */
        d_step { on_stack++; assert(on_stack == 1) };
        if                                          /* the body */
        :: d_step { awaits > 0 -> awaits--; assert(!told); told = true }
        :: awaits == 0 -> ended = true
        fi;
        d_step { look(); on_stack-- };              /* it has returned: has the task ended? */
        if
        :: ended ->
            d_step { look(); who = heir; heir = end }; /* joining_end */
            if
            :: who == awaiter -> woken = true
            :: else
            fi
        :: else ->                                  /* strand_end */
#ifdef TWO_STEPS_FOR_END
            d_step { look(); before = state };
            state = before & READY;
#else
            d_step { look(); before = state; state = state & READY };
#endif
            if
            :: (before & READY) != 0 -> look(); queued++
            :: else
            fi;
#ifdef LOOKS_AFTER_THE_END
            look()
#endif
        fi;
        d_step { before = 0; who = nobody }
    od
}

/* strand_wake */
active proctype waker()
{
    byte before;

end_idle:
    do
    :: atomic { told -> told = false };
        d_step { look(); before = state; state = state | READY; assert((before & READY) == 0) };
        if
#ifdef QUEUES_WHAT_RUNS
        :: queued++
#else
        :: (before & RUNNING) == 0 -> queued++
        :: else
#endif
        fi;
        before = 0
    od
}

/* claim, and then take_out */
active proctype joiner()
{
    mtype who;

#ifdef TWO_STEPS_FOR_CLAIM
    who = heir;
    if
    :: who == nobody -> heir = awaiter
    :: else
    fi;
#else
    d_step {
        who = heir;
        if
        :: who == nobody -> heir = awaiter
        :: else
        fi
    };
#endif
    if
    :: who == nobody -> woken
    :: else
    fi;
    assert(ended);
    freed = true
}

init
{
    timeout -> assert(freed && queued == 0)
}
