/* queue_model.c - Step 1: random schedules against a model that is too simple to be wrong.
 *
 * One coroutine, the conductor, does something at random at each of its turns and yields; the others
 * note each of theirs. The model keeps its own queue, in which removing is copying.
 */
#include "chance.h"
#include "lab_test.h"
#include "workers.h"

enum { MOST = 200, CONDUCTOR = -1, CHANGES = 600 };

/* Takes `turns` turns with a yield between, then waits at its gate, then ends. */
struct player {
    struct worker worker; /* first */
    struct model *model;
    int id;
};

struct model {
    scheduler *s;
    struct chance chance;
    int changes;       /* that the conductor has made */
    int count;         /* players so far; the arrays go by their numbers */
    task *tasks[MOST]; /* NULL: destroyed */
    struct gate gates[MOST];
    int turns[MOST];  /* left before it waits */
    bool waits[MOST]; /* at its gate */
    bool ended[MOST];
    int queue[MOST + 1]; /* who is ready, in order */
    int ready;
    int log[MOST + 1]; /* whose turns there have been since the conductor's last one */
    int logged;
};

/* ---- The coroutines -------------------------------------------------------- */

static void note_turn(struct player *self)
{
    struct model *m = self->model;

    if (m->logged <= MOST) {
        m->log[m->logged++] = self->id;
    }
}

static void player_body(co_handle frame)
{
    struct player *self = (struct player *)frame;

    CO_BEGIN(&self->worker);
    for (self->worker.i = 0; self->worker.i < self->worker.steps; self->worker.i++) {
        note_turn(self);
        CO_AWAIT(&self->worker, self->worker.task.ignored, scheduler_yield(self->model->s));
    }
    note_turn(self);
    CO_AWAIT(&self->worker, self->worker.task.ignored, gate_wait(&self->model->gates[self->id]));
    note_turn(self);
    CO_END(&self->worker);
}

static task *player_create(struct model *m, int id, int turns)
{
    struct player *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->model = m;
    self->id = id;
    self->worker.steps = turns;
    return task_init(&self->worker.task, "player", player_body, NULL);
}

/* ---- The model's queue ------------------------------------------------------- */

static void push(struct model *m, int id)
{
    m->queue[m->ready++] = id;
}

static void remove_at(struct model *m, int place)
{
    m->ready--;
    for (int i = place; i < m->ready; i++) {
        m->queue[i] = m->queue[i + 1];
    }
}

static void forget(struct model *m, int id)
{
    for (int i = 0; i < m->ready; i++) {
        if (m->queue[i] == id) {
            remove_at(m, i);
            return;
        }
    }
}

/* What a player does in its turn. */
static void play(struct model *m, int id)
{
    if (m->turns[id]-- > 0) {
        push(m, id);
    } else if (!m->waits[id] && m->turns[id] == -1) {
        m->waits[id] = true;
    } else {
        m->ended[id] = true;
    }
}

/* Plays until it is the conductor's turn (or, at the end, until nobody is ready), and compares. */
static void expect_same_turns(struct model *m)
{
    int turn = 0;

    while (m->ready > 0 && m->queue[0] != CONDUCTOR) {
        int id = m->queue[0];

        remove_at(m, 0);
        if (turn >= m->logged) {
            fail_test("player %d has not had its turn", id);
        }
        expect_int("whose turn it was", m->log[turn++], id);
        play(m, id);
    }
    expect_int("how many turns there were", m->logged, turn);
    m->logged = 0;
    if (m->ready > 0) {
        remove_at(m, 0);
    }
}

/* ---- What the conductor does --------------------------------------------------- */

static void add_player(struct model *m)
{
    int id = m->count++;

    m->turns[id] = chance_below(&m->chance, 6);
    step("start player %d, who yields %d times", id, m->turns[id]);
    m->tasks[id] = player_create(m, id, m->turns[id]);
    start(m->s, m->tasks[id]);
    push(m, id);
}

static void open_gate_of(struct model *m, int id)
{
    step("open the gate at which player %d waits", id);
    gate_open(&m->gates[id], 0);
    m->waits[id] = false;
    push(m, id);
}

static void destroy_player(struct model *m, int id)
{
    step("destroy player %d", id);
    expect_int("task_destroy(t)", task_destroy(task_take(&m->tasks[id])), 0);
    forget(m, id);
}

static void change_something(struct model *m)
{
    int id = m->count > 0 ? chance_below(&m->chance, m->count) : 0;

    m->changes++;
    if (m->count < MOST && chance_below(&m->chance, 2) == 0) {
        add_player(m);
    } else if (m->count > 0 && m->waits[id] && m->tasks[id] != NULL) {
        open_gate_of(m, id);
    } else if (m->count > 0 && m->tasks[id] != NULL && chance_below(&m->chance, 4) == 0) {
        destroy_player(m, id);
    }
}

static void conductor_body(co_handle frame)
{
    struct player *self = (struct player *)frame;
    struct model *m = self->model;

    CO_BEGIN(&self->worker);
    while (m->changes < CHANGES) {
        expect_same_turns(m);
        for (self->worker.i = chance_below(&m->chance, 4); self->worker.i >= 0; self->worker.i--) {
            change_something(m);
        }
        push(m, CONDUCTOR);
        CO_AWAIT(&self->worker, self->worker.task.ignored, scheduler_yield(m->s));
    }
    expect_same_turns(m);
    CO_END(&self->worker);
}

static void run_schedule(struct chance chance)
{
    static struct model model;
    struct model *m = &model;
    struct player *conductor = (struct player *)(void *)player_create(m, CONDUCTOR, 0);
    int waiting = 0;
    int result;

    *m = (struct model){.chance = chance};
    m->s = new_scheduler(SCHEDULER_FIFO);
    (void)task_init(&conductor->worker.task, "conductor", conductor_body, NULL);
    spawn(m->s, &conductor->worker.task);
    push(m, CONDUCTOR);
    m->logged = 0;
    result = scheduler_run(m->s);
    expect_same_turns(m);
    for (int i = 0; i < m->count; i++) {
        waiting += m->tasks[i] != NULL && !m->ended[i];
    }
    expect_int("scheduler_run(s): who still waits", result, waiting);
    for (int i = 0; i < m->count; i++) {
        expect_int("task_destroy(t)", task_destroy(m->tasks[i]), 0);
    }
    destroy_scheduler(m->s);
}

LAB_TEST(random_schedules_match_a_model)
{
    for_each_seed(run_schedule);
}
