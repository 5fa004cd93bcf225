/* For tests of what profd tells of itself: a ledger in a file, children, a loop, and no daemon. */
#ifndef TESTS_STATUS_SCENE_H
#define TESTS_STATUS_SCENE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/census/census.h"
#include "daemon/children/child_table.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/exit_lease.h"
#include "daemon/memory/exit_store.h"
#include "daemon/session.h"

enum {
    SCENE_LIMIT_BYTES = 64 * LEASE_UNIT_BYTES,
    SCENE_SPARE_BYTES = EXIT_LEASE_SPARE_UNITS * LEASE_UNIT_BYTES, /* that the exit store has */
    SCENE_LOST = 5,
};

static char scene_folder[64], scene_socket[80];
static uv_loop_t loop;
static struct session session;
static struct child_table table;
static struct exit_store exits;
static struct memory memory;
static struct census census; /* of which only the losses are looked at */

static bool is_nobody_awaited(lease_owner owner, void *context)
{
    (void)owner, (void)context;
    return false;
}

static const struct memory_events scene_memory_events = { is_nobody_awaited };

static void on_scene_expired(void *owner, const struct block_account *account)
{
    (void)owner, (void)account;
}

static void set_up_scene(void)
{
    const struct memory_views views = { &session, &table, &exits };
    enum ledger_past past;

    strcpy(scene_folder, "/tmp/profd-status.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scene_folder));
    snprintf(scene_socket, sizeof(scene_socket), "%s/socket", scene_folder);
    memset(&table, 0, sizeof(table));
    memset(&memory, 0, sizeof(memory));
    memset(&census, 0, sizeof(census));
    census.lost = SCENE_LOST;
    session = (struct session){ .state = SESSION_IDLE };
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(memory_init(&memory, &loop, &views, &scene_memory_events, NULL), 0);
    exit_store_init(&exits, &loop, &memory.ledger, &memory.controller, on_scene_expired);
    ck_assert_int_eq(memory_open(&memory, scene_socket, SCENE_LIMIT_BYTES, LEDGER_IN_FILE, &past),
                     0);
}

static void tear_down_scene(void)
{
    while (table.first != NULL)
        child_table_remove(&table, table.first);
    memory_close(&memory);
    exit_store_destroy(&exits);
    memory_controller_fini(&memory.controller);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    ck_assert_int_eq(rmdir(scene_folder), 0); /* the ledger went with the memory */
}

static struct child *add_child(pid_t pid, const char *executable)
{
    const struct child_introduction who = { .pid = pid,
                                            .executable = executable,
                                            .executable_length = strlen(executable) };
    struct child *child = child_table_add(&table, &who);

    ck_assert_ptr_nonnull(child);
    return child;
}

#endif
