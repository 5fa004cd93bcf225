/* The global memory controller: chunk updates folded and decided on, with 100 to 10,000 children.
 *
 * Every update tells of a chunk that was released and of one that is gone, as it was told: the
 * steady state of a session at its limit, in which each calls for a decision. */
#include <math.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "daemon/memory/memory_controller.h"
#include "tests/bench/bench.h"

enum { CHUNKS = 16, UPDATES = 200000, MOST_CHILDREN = 10000, UNIT = LEASE_UNIT_BYTES };

struct child {
    struct memory_source source;
    uint64_t done_ns[CHUNKS + 1]; /* a ring of the released */
    unsigned first, count;
    uint64_t order_ns;
};

static struct child children[MOST_CHILDREN];
static struct memory_controller controller;
static uint64_t now_ns;

static void release_chunk(struct child *child)
{
    if (child->count > CHUNKS)
        exit(1);
    child->done_ns[(child->first + child->count++) % (CHUNKS + 1)] = now_ns;
}

static void obey_order(struct child *child)
{
    while (child->count > 0 && child->done_ns[child->first] <= child->order_ns) {
        child->first = (child->first + 1) % (CHUNKS + 1);
        child->count--;
    }
    child->order_ns = 0;
}

static void send_update(struct child *child)
{
    static struct chunk_update message;

    now_ns += 1000;
    obey_order(child);
    release_chunk(child);
    message.kind = CHUNK_UPDATE_ORDINARY;
    message.unreleased_bytes = UNIT;
    message.released_bytes = (uint64_t)child->count * UNIT;
    message.oldest_done_ns = child->done_ns[child->first];
    message.newly_released_count = 1;
    message.newly_released[0].done_ns = now_ns;
    if (memory_controller_update(&controller, &child->source, 1, &message, now_ns) < 0)
        exit(1);
}

static void decide_drops(void)
{
    struct chunk_drop drop;

    while (memory_controller_next_drop(&controller, now_ns, &drop)) {
        struct child *child = drop.source->owner;
        child->order_ns = drop.done_ns;
    }
}

/* The cost of one update, in ns, with COUNT children. */
static double measure_update(int count)
{
    now_ns = 1000000;
    memory_controller_init(&controller, (uint64_t)count * (CHUNKS / 2) * UNIT, UINT64_C(1) << 60);
    controller.generation = 1;
    memset(children, 0, sizeof(children));
    for (int i = 0; i < count; i++) {
        if (memory_controller_add(&controller, &children[i].source, MEMORY_OF_CHILD,
                                  (uint64_t)2 * CHUNKS * UNIT, &children[i]) < 0)
            exit(1);
    }
    for (int i = 0; i < count * CHUNKS; i++) {
        send_update(&children[i % count]);
        decide_drops();
    }
    double start = bench_now_ns();
    for (int i = 0; i < UPDATES; i++) {
        /* Not in the order of their age. */
        send_update(&children[(int)((unsigned)i * 7919u % (unsigned)count)]);
        decide_drops();
    }
    double cost = (bench_now_ns() - start) / UPDATES;
    for (int i = 0; i < count; i++)
        memory_controller_remove(&controller, &children[i].source);
    memory_controller_fini(&controller);
    return cost;
}

int main(void)
{
    double thousand[BENCH_ROUNDS], growth[BENCH_ROUNDS];

    measure_update(MOST_CHILDREN);
    for (int i = 0; i < BENCH_ROUNDS; i++) {
        double few = measure_update(100);
        thousand[i] = 1e3 / measure_update(1000);
        growth[i] = measure_update(MOST_CHILDREN) / few / (log(MOST_CHILDREN) / log(100));
    }
    bench_figure("chunk updates folded and decided, 1,000 children",
                 bench_median(thousand, BENCH_ROUNDS), "M/s at least", 1);
    bench_figure("update with 10,000 children / 100, to log n", bench_median(growth, BENCH_ROUNDS),
                 "x", 1);
    return 0;
}
