/* parking.pml - no wake-up is lost: worker.c and parking.c.
 *
 * Strands are counted, not told apart. What is one atomic operation in C is one step here; so are the
 * accesses of the four that parking.h names: memory_order_seq_cst makes one order of them for all
 * threads. What a weaker order would allow, that a thread looks before its write is seen, is
 * LOOK_FIRST_THEN_PUT and LOOK_FIRST_THEN_SLEEP.
 *
 * A body may hold up its worker for ever. So it is not enough that each strand has its turn at some
 * time: as long as a worker is left, it has to be woken for what lies in the ring of one that is held up.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FROM_OUTSIDE
#define FROM_OUTSIDE 2 /* strands that a thread brings which is no worker */
#endif
#ifndef FROM_INSIDE
#define FROM_INSIDE 2 /* strands that bodies make ready, at most */
#endif
#ifndef YIELDS
#define YIELDS 1 /* how often bodies yield, at most */
#endif

byte global, ring[WORKERS]; /* how many strands are in which queue */
byte inside = FROM_INSIDE, yields = YIELDS;
byte total = FROM_OUTSIDE;  /* strands there are, */
byte done, held;            /* that have ended, that hold up their worker */

bool lock;                  /* struct parking */
bool asleep[WORKERS], woken[WORKERS];
byte count;

/* With the lock held. */
inline get_up(who) { asleep[who] = false; count--; woken[who] = true }

/* The rest of parking_wake_one, which has looked: `seen` is the count. Whom it chooses does not matter. */
inline wake_if(seen)
{
    if
    :: seen == 0
    :: else ->
        atomic {
            !lock;
            if
            :: asleep[0] -> get_up(0)
            :: asleep[1] -> get_up(1)
#if WORKERS > 2
            :: asleep[2] -> get_up(2)
#endif
            :: else
            fi;
            seen = 0
        }
    fi
}

/* 1. puts it into a queue, 2. looks whether anybody sleeps. */
inline put_and_wake(queue, seen)
{
#ifdef LOOK_FIRST_THEN_PUT
    seen = count;
    queue++;
#else
    queue++;
    seen = count;
#endif
    wake_if(seen)
}

active proctype outside()
{
    byte seen, i;

    for (i : 1 .. FROM_OUTSIDE) {
        put_and_wake(global, seen)
    }
}

/* pool_has_ready: one queue after the other. */
inline look(found)
{
    found = (global > 0);
    found = (found || ring[0] > 0);
    found = (found || ring[1] > 0)
#if WORKERS > 2
    ; found = (found || ring[2] > 0)
#endif
}

/* A share of the global queue, or half of a ring: any part of it, so how it is divided does not
 * matter. */
inline take_some(queue)
{
    atomic {
        if
        :: queue > 0 ->
            taken = 1;
            do
            :: taken < queue -> taken++
            :: break
            od;
            queue = queue - taken
        :: else
        fi
    }
}

/* Something was found elsewhere. What came along goes into the own ring: for a moment it was in no
 * queue. If more is left, there or anywhere, another worker can help. */
inline found_elsewhere()
{
    d_step { ring[me] = ring[me] + taken - 1; taken = 0 };
#ifndef NO_WAKE_FOR_THE_REST
#ifdef WAKE_FOR_THE_OWN_REST_ONLY
    found = (ring[me] > 0);
#else
    look(found);
#endif
    if
    :: found -> seen = count; wake_if(seen)
    :: else
    fi
#endif
}

inline find_ready()
{
    take_some(global);
    if
    :: taken == 0 -> take_some(ring[(me + 1) % WORKERS])
    :: else
    fi;
#if WORKERS > 2
    if
    :: taken == 0 -> take_some(ring[(me + 2) % WORKERS])
    :: else
    fi
#endif
}

/* 1. says that he sleeps, 2. looks once more. */
inline lie_down()
{
    atomic { !lock -> lock = true };
#ifdef LOOK_FIRST_THEN_SLEEP
    look(found);
    d_step { asleep[me] = true; count++ };
#else
    d_step { asleep[me] = true; count++ };
#ifdef NO_SECOND_LOOK
    found = false;
#else
    look(found);
#endif
#endif
    d_step {
        if
        :: found -> get_up(me)
        :: else
        fi;
        found = false;
        lock = false
    }
}

/* The worker itself goes on, and finds it in its ring, behind others for which somebody was woken when
 * they came. But a worker that is about to sleep may have looked into the global queue already. */
inline yield()
{
    if
#ifdef NO_WAKE_AFTER_YIELD
    :: global > 0 -> global++
#else
    :: global > 0 -> put_and_wake(global, seen)
#endif
    :: else -> ring[me]++
    fi
}

proctype worker(byte me)
{
    byte seen, taken;
    bool found;

search:
    atomic {
        if
        :: ring[me] > 0 -> ring[me]--; goto body
        :: else
        fi
    }
    find_ready();
    if
    :: taken > 0 -> found_elsewhere();
        goto body
    :: else
    fi;
    lie_down();
end_asleep:
    d_step { woken[me] -> woken[me] = false };
    goto search;

body:
    if
    :: d_step { inside > 0 -> inside--; total++ } /* it makes another strand ready, */
#ifdef NO_WAKE_FROM_INSIDE
        ring[me]++;
#else
        if
        :: global > 0 -> put_and_wake(global, seen)
        :: else -> put_and_wake(ring[me], seen)
        fi;
#endif
        goto body
    :: d_step { yields > 0 -> yields-- }  /* or yields, */
        yield();
        goto search
    :: d_step { held < WORKERS - 1 -> held++ } /* or holds up its worker, */
end_held:
        false
    :: d_step { done++ } /* or ends. */
        goto search
    fi
}

init
{
    byte w;

    atomic {
        for (w : 0 .. WORKERS - 1) {
            run worker(w)
        }
    }
    timeout -> assert(done + held == total) /* when nothing can happen any more */
}
