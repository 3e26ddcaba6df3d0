/* ring.pml - each entry is taken once: ready_ring.c.
 *
 * Every access to head, tail and a place is a step. Spin's steps are in one order for all, so what a
 * memory order forbids is tried by hand: the two accesses which it keeps in order, in the other order.
 */
#ifndef TAKERS
#define TAKERS 2
#endif
#define SIZE    2 /* of the ring */
#define ENTRIES 4 /* go through it */

byte head, tail, place[SIZE];
byte taken[ENTRIES]; /* how often, of each */
byte total;

inline note(entry)
{
    d_step {
        assert(entry < ENTRIES);
        taken[entry]++;
        assert(taken[entry] == 1);
        total++
    }
}

/* ready_ring_take: `got` is ENTRIES if it was empty. */
inline take(h, t, got)
{
#ifdef HEAD_NOT_ACQUIRED /* the tail may be older than the head */
    t = tail;
    h = head;
#else
    h = head;
    t = tail;
#endif
    do
    :: h == t -> got = ENTRIES; break
    :: else ->
#ifdef EXCHANGE_NOT_RELEASED /* the entry may be read when its place is given free already */
        atomic {
            if
            :: head == h -> head++; t = ENTRIES + 1
            :: else -> h = head
            fi
        };
        if
        :: t == ENTRIES + 1 -> got = place[h % SIZE]; break
        :: else -> t = tail
        fi
#else
        got = place[h % SIZE];
#ifdef TWO_STEPS_FOR_EXCHANGE
        if
        :: head == h -> head = h + 1; break
        :: else -> h = head
        fi;
#else
        atomic {
            if
            :: head == h -> head++; goto out
            :: else -> h = head
            fi
        };
#endif
        t = tail
#endif
    od
}

proctype taker()
{
    byte h, t, got;

again:
    take(h, t, got);
out:
    if
    :: got < ENTRIES -> note(got)
    :: else
    fi;
    d_step { h = 0; t = 0; got = 0 };
    if
    :: total < ENTRIES -> goto again
    :: else
    fi
}

/* ready_ring_push; the owner waits where it would use the global queue. */
active proctype owner()
{
    byte entry;

    for (entry : 0 .. ENTRIES - 1) {
#ifndef NO_LOOK_FOR_ROOM
        tail - head < SIZE;
#endif
#ifdef TAIL_NOT_RELEASED /* the new tail may be seen before the entry */
        tail++;
        place[entry % SIZE] = entry
#else
        place[entry % SIZE] = entry;
        tail++
#endif
    }
}

init
{
    byte i;

    atomic {
        for (i : 1 .. TAKERS) {
            run taker()
        }
        for (i : 0 .. SIZE - 1) {
            place[i] = ENTRIES + 2 /* nothing that could be taken */
        }
    }
    timeout -> assert(total == ENTRIES)
}
