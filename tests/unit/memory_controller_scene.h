/* A controller of memory and a few sources, which tell it of their chunks. */
#ifndef TESTS_UNIT_MEMORY_CONTROLLER_SCENE_H
#define TESTS_UNIT_MEMORY_CONTROLLER_SCENE_H

#include <check.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "daemon/memory/memory_controller.h"

enum { SOURCES = 8, UNIT = LEASE_UNIT_BYTES, GENERATION = 3, PATIENCE_NS = 1000 };
#define CAP_BYTES (100ULL * UNIT)

static struct memory_controller controller;
static struct memory_source sources[SOURCES];
static struct chunk_update update;
static uint64_t now_ns;

static void set_up(void)
{
    memory_controller_init(&controller, 10ULL * UNIT, PATIENCE_NS);
    controller.generation = GENERATION;
    memset(sources, 0, sizeof(sources));
    memset(&update, 0, sizeof(update));
    now_ns = 1000000;
}

static void tear_down(void)
{
    for (int i = 0; i < SOURCES; i++)
        memory_controller_remove(&controller, &sources[i]);
    ck_assert_uint_eq(controller.source_count, 0);
    ck_assert_uint_eq(controller.stalled_count, 0);
    ck_assert_uint_eq(controller.reported_bytes, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
    ck_assert_uint_eq(controller.heap.count, 0);
    memory_controller_fini(&controller);
}

static void add_source(int source, enum memory_source_kind kind)
{
    ck_assert_int_eq(
        memory_controller_add(&controller, &sources[source], kind, CAP_BYTES, &sources[source]), 0);
}

/* Says that SOURCE has RELEASED chunks, done a time unit apart from OLDEST on, of which the last
 * NEW are news. */
static void send_update(int source, unsigned released, uint64_t oldest, unsigned new)
{
    update = (struct chunk_update){
        .kind = CHUNK_UPDATE_ORDINARY,
        .released_bytes = (uint64_t)released * UNIT,
        .oldest_done_ns = released > 0 ? oldest : 0,
        .newly_released_count = new,
    };
    for (unsigned i = 0; i < new; i++)
        update.newly_released[i].done_ns = oldest + released - new + i;
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[source], GENERATION, &update, now_ns), 0);
}

/* A child with COUNT chunks, done from OLDEST on. */
static void add_child(int source, unsigned count, uint64_t oldest)
{
    add_source(source, MEMORY_OF_CHILD);
    send_update(source, count, oldest, count);
}

static void expect_drop(int source, uint64_t done_ns)
{
    struct chunk_drop drop;
    ck_assert(memory_controller_next_drop(&controller, now_ns, &drop));
    ck_assert_int_eq((int)(drop.source - sources), source);
    ck_assert_uint_eq(drop.done_ns, done_ns);
}

static void expect_nothing(void)
{
    struct chunk_drop drop;
    ck_assert(!memory_controller_next_drop(&controller, now_ns, &drop));
}

#endif
