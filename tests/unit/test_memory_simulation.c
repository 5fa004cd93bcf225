/* Many processes, the ledger of leases and the memory controller against one another: births,
 * deaths, stalls, lost updates and lost orders, from a seed, as plain values and without a clock.
 *
 * After every step nobody has more than its lease, and the leases are within the limit. What is
 * kept is compared with a model that always drops the globally oldest chunk. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "daemon/memory/memory_controller.h"
#include "tests/unit/run_suite.h"

enum {
    UNIT = LEASE_UNIT_BYTES,
    LIMIT_UNITS = 256,
    PROCESSES = 24,
    MOST_CHUNKS = LIMIT_UNITS,
    STEPS = 6000,
    SEEDS = 16,
    GENERATION = 1,
    PATIENCE_STEPS = 50,
    FIRST = 1000, /* moment */
};

/* A released chunk: when it was done, and the unit that it has. */
struct held {
    uint64_t done;
    uint32_t unit;
};

struct process {
    bool lives, is_exit; /* an exit profile has only released chunks */
    lease_owner owner;
    uint32_t front_unit, current_unit; /* current: UINT32_MAX when there was none to be had */
    struct held released[MOST_CHUNKS]; /* oldest first */
    int count;
    int unreported; /* of the released, newer than the last update that was delivered */
    uint64_t stalled_until;
    bool owes_update;
    uint64_t order; /* not carried out yet; 0: none */
    struct memory_source source;
};

static struct lease_ledger ledger;
static struct memory_controller controller;
static struct process processes[PROCESSES];
static int seed_number;
static unsigned seed;
static uint64_t now, births;
static uint64_t newest_dropped; /* by the controller's decision */
static unsigned refused;        /* chunks that could not be had */
static bool is_lossy;

/* Check tells its parent of each of its assertions, which takes a thousand times as long. */
#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg("seed %d, step %llu: %s", seed_number, (unsigned long long)now - FIRST,   \
                         #condition);                                                              \
    } while (0)

static unsigned pick_number(unsigned below)
{
    return (unsigned)rand_r(&seed) % below;
}

static bool draw_chance(unsigned percent)
{
    return pick_number(100) < percent;
}

/* --- A process --- */

static uint32_t take_unit(const struct process *process, enum lease_purpose purpose)
{
    uint32_t unit;
    return lease_take(&ledger, process->owner, purpose, &unit) == 0 ? unit : UINT32_MAX;
}

static void be_born(struct process *process)
{
    *process = (struct process){ .owner = lease_owner_make((pid_t)(1000 + births), 4096, false) };
    births++;
    process->front_unit = take_unit(process, LEASE_TO_START);
    if (process->front_unit == UINT32_MAX)
        return; /* it runs, unprofiled */
    process->lives = true;
    process->current_unit = take_unit(process, LEASE_TO_START);
    must(memory_controller_add(&controller, &process->source, MEMORY_OF_CHILD,
                               (uint64_t)LIMIT_UNITS * UNIT, process) == 0);
    process->owes_update = true;
}

static struct held pop_oldest(struct process *process)
{
    struct held oldest = process->released[0];

    process->count--;
    memmove(process->released, process->released + 1,
            (size_t)process->count * sizeof(process->released[0]));
    if (process->unreported > process->count)
        process->unreported = process->count;
    return oldest;
}

/* The chunk in use is full: another one, its own oldest if nothing is to be had, or none. */
static void fill_chunk(struct process *process)
{
    if (process->current_unit != UINT32_MAX) {
        process->released[process->count++] = (struct held){ now, process->current_unit };
        process->unreported++;
    }
    process->current_unit = take_unit(process, LEASE_TO_GROW);
    if (process->current_unit == UINT32_MAX && process->count > 0)
        process->current_unit = pop_oldest(process).unit;
    refused += process->current_unit == UINT32_MAX;
}

static void destroy_at_or_before(struct process *process, uint64_t done)
{
    while (process->count > 0 && process->released[0].done <= done)
        lease_give_back(&ledger, process->owner, pop_oldest(process).unit);
}

static void send_update(struct process *process)
{
    struct chunk_update update = {
        .kind = CHUNK_UPDATE_ORDINARY,
        .unreleased_bytes = process->current_unit != UINT32_MAX ? UNIT : 0,
        .released_bytes = (uint64_t)process->count * UNIT,
        .oldest_done_ns = process->count > 0 ? process->released[0].done : 0,
    };

    for (int i = process->count - process->unreported; i < process->count; i++)
        update.newly_released[update.newly_released_count++].done_ns = process->released[i].done;
    process->unreported = 0;
    if (is_lossy && draw_chance(10))
        return; /* on its way it is lost */
    must(memory_controller_update(&controller, &process->source, GENERATION, &update, now) == 0);
}

/* Its chunks are the exit store's from now on. */
static void end_process(struct process *process)
{
    struct chunk_ages ages = { 0 };

    memory_controller_remove(&controller, &process->source);
    lease_move(&ledger, process->owner, LEASE_OWNER_EXITS, UINT32_MAX);
    process->owner = LEASE_OWNER_EXITS;
    process->is_exit = true;
    process->order = 0;
    if (process->current_unit != UINT32_MAX)
        process->released[process->count++] = (struct held){ now, process->current_unit };
    memset(&process->source, 0, sizeof(process->source));
    must(memory_controller_add(&controller, &process->source, MEMORY_OF_EXIT, UINT64_MAX,
                               process) == 0);
    for (int i = 0; i < process->count; i++)
        must(chunk_ages_push_back(&ages, (struct chunk_age){ .done_ns = process->released[i].done,
                                                             .bytes = UNIT,
                                                             .slot = (uint32_t)i }) == 0);
    memory_controller_set_chunks(&controller, &process->source, &ages);
    memory_controller_set_bytes(&controller, &process->source,
                                (uint64_t)(process->count + 1) * UNIT);
    chunk_ages_free(&ages);
}

static void expire_process(struct process *process)
{
    memory_controller_remove(&controller, &process->source);
    lease_give_back(&ledger, LEASE_OWNER_EXITS, process->front_unit);
    process->lives = false;
}

/* --- profd --- */

static void carry_out(const struct chunk_drop *drop)
{
    struct process *process = drop->source->owner;

    if (process->is_exit) {
        struct held oldest = pop_oldest(process);
        newest_dropped = oldest.done > newest_dropped ? oldest.done : newest_dropped;
        lease_give_back(&ledger, LEASE_OWNER_EXITS, oldest.unit);
        if (process->count == 0)
            expire_process(process);
        return;
    }
    newest_dropped = drop->done_ns > newest_dropped ? drop->done_ns : newest_dropped;
    if (is_lossy && draw_chance(10))
        return;
    process->order = drop->done_ns > process->order ? drop->done_ns : process->order;
}

static void decide_drops(void)
{
    struct chunk_drop drop;

    memory_controller_note_taken(&controller, (uint64_t)lease_ledger_recount(&ledger, NULL) * UNIT);
    while (memory_controller_next_drop(&controller, now, &drop))
        carry_out(&drop);
}

/* The agents do what they were told, and say so. */
static void obey_all(void)
{
    for (int i = 0; i < PROCESSES; i++) {
        struct process *process = &processes[i];
        if (!process->lives || process->is_exit || process->stalled_until > now)
            continue;
        if (process->order != 0)
            destroy_at_or_before(process, process->order);
        process->order = 0;
        send_update(process);
    }
}

/* --- What must hold --- */

static uint32_t units_of(const struct process *process)
{
    bool has_current = !process->is_exit && process->current_unit != UINT32_MAX;
    return 1 + has_current + (uint32_t)process->count;
}

static void check_leases(void)
{
    uint32_t exits = 0, all = 0;

    for (int i = 0; i < PROCESSES; i++) {
        const struct process *process = &processes[i];
        if (!process->lives)
            continue;
        all += units_of(process);
        if (process->is_exit)
            exits += units_of(process);
        else
            must(lease_count(&ledger, process->owner) == units_of(process));
    }
    must(lease_count(&ledger, LEASE_OWNER_EXITS) == exits);
    must(all <= LIMIT_UNITS);
}

/* The model: no chunk is kept that is older than one that was dropped. */
static unsigned kept_against_the_order(void)
{
    unsigned count = 0;

    for (int i = 0; i < PROCESSES; i++) {
        const struct process *process = &processes[i];
        for (int chunk = 0; process->lives && chunk < process->count; chunk++)
            count += process->released[chunk].done <= newest_dropped;
    }
    return count;
}

static unsigned kept_units(void)
{
    return lease_ledger_recount(&ledger, NULL);
}

/* --- Steps --- */

static void take_step(void)
{
    struct process *process = &processes[pick_number(PROCESSES)];

    now++;
    if (!process->lives)
        be_born(process);
    else if (!process->is_exit && draw_chance(2))
        end_process(process);
    else if (is_lossy && !process->is_exit && draw_chance(1))
        process->stalled_until = now + pick_number(2000); /* its agent; its threads go on */
    else if (!process->is_exit)
        fill_chunk(process);
    if (!is_lossy || draw_chance(30))
        obey_all();
    decide_drops();
    if (!is_lossy)
        obey_all();
    check_leases();
}

static void begin_simulation(int with_seed, bool with_losses)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);

    seed_number = with_seed;
    seed = (unsigned)with_seed + 1;
    is_lossy = with_losses;
    now = FIRST;
    births = newest_dropped = refused = 0;
    memset(processes, 0, sizeof(processes));
    must(lease_ledger_create(fd, 1, (uint64_t)LIMIT_UNITS * UNIT, &ledger) == 0);
    close(fd);
    memory_controller_init(&controller, memory_controller_target((uint64_t)LIMIT_UNITS * UNIT),
                           PATIENCE_STEPS);
    controller.generation = GENERATION;
}

static void end_simulation(void)
{
    for (int i = 0; i < PROCESSES; i++)
        memory_controller_remove(&controller, &processes[i].source);
    must(controller.reported_bytes == 0);
    must(controller.going_bytes == 0);
    memory_controller_fini(&controller);
    lease_ledger_close(&ledger);
}

START_TEST(without_losses_it_is_the_model_itself)
{
    begin_simulation(_i, false);
    for (int i = 0; i < STEPS; i++) {
        take_step();
        must(kept_against_the_order() == 0);
        must(kept_units() * (uint64_t)UNIT <= controller.target_bytes + UNIT);
    }
    /* It was worth the trouble: everybody found a chunk, and the room was used. */
    must(refused == 0);
    must(newest_dropped > 0);
    must(kept_units() * (uint64_t)UNIT >= controller.target_bytes - 2 * UNIT);
    end_simulation();
}
END_TEST

START_TEST(losses_never_pass_the_limit_and_are_made_up_for)
{
    begin_simulation(1000 + _i, true);
    for (int i = 0; i < STEPS; i++)
        take_step();

    /* Everybody is heard again. */
    is_lossy = false;
    for (int i = 0; i < PROCESSES; i++)
        processes[i].stalled_until = 0;
    for (int i = 0; i < STEPS / 4; i++)
        take_step();
    newest_dropped = 0; /* what was dropped meanwhile for want of better */
    for (int i = 0; i < STEPS / 4; i++) {
        take_step();
        must(kept_against_the_order() == 0);
    }
    end_simulation();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.memory_simulation");
    TCase *tests = tcase_create("simulation");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, without_losses_it_is_the_model_itself, 0, SEEDS);
    tcase_add_loop_test(tests, losses_never_pass_the_limit_and_are_made_up_for, 0, SEEDS);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
