/* litmus.c - two threads, each writes one word and then reads the other's. Can both read what was there before?
 *
 *     gcc -O1 -pthread litmus.c -o litmus && ./litmus
 *
 * The orders are constants: one that is known only at run time is compiled as seq_cst.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 200000, PATIENCE = 1000 };

struct player {
    atomic_int said[ROUNDS]; /* a word for each round: "there is work", or "I sleep" */
    int seen[ROUNDS];        /* what it has read of the other's */
    atomic_int round;        /* in which it is */
    struct player *other;
    void (*move)(struct player *, int);
};

static void release_acquire(struct player *me, int i)
{
    atomic_store_explicit(&me->said[i], 1, memory_order_release);
    me->seen[i] = atomic_load_explicit(&me->other->said[i], memory_order_acquire);
}

static void seq_cst(struct player *me, int i)
{
    atomic_store_explicit(&me->said[i], 1, memory_order_seq_cst);
    me->seen[i] = atomic_load_explicit(&me->other->said[i], memory_order_seq_cst);
}

/* Spins, so that both begin a round in the same moment: a thread that sleeps would come too late. */
static void *play(void *argument)
{
    struct player *me = argument;

    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&me->round, i);
        for (int spins = 0; atomic_load(&me->other->round) < i; spins++) {
            if (spins >= PATIENCE) {
                (void)sched_yield();
            }
        }
        me->move(me, i);
    }
    atomic_store(&me->round, ROUNDS);
    return NULL;
}

static void count(const char *title, void (*move)(struct player *, int))
{
    static struct player players[2];
    pthread_t second;
    int blind = 0;

    memset(players, 0, sizeof players);
    for (int k = 0; k < 2; k++) {
        players[k].other = &players[1 - k];
        players[k].move = move;
        atomic_store(&players[k].round, -1);
    }
    if (pthread_create(&second, NULL, play, &players[1]) != 0) {
        return;
    }
    (void)play(&players[0]);
    (void)pthread_join(second, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        blind += players[0].seen[i] == 0 && players[1].seen[i] == 0;
    }
    (void)printf("%s: both were blind in %d of %d rounds\n", title, blind, ROUNDS);
}

int main(void)
{
    count("release and acquire", release_acquire);
    count("seq_cst", seq_cst);
    return 0;
}
