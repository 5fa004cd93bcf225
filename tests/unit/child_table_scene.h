/* A table of children that were never there. */
#ifndef TESTS_UNIT_CHILD_TABLE_SCENE_H
#define TESTS_UNIT_CHILD_TABLE_SCENE_H

#include <check.h>
#include <fcntl.h>
#include <string.h>

#include "daemon/children/child_table.h"

static struct child_table table;

static void set_up(void)
{
    memset(&table, 0, sizeof(table));
}

static void tear_down(void)
{
    while (table.first != NULL)
        child_table_remove(&table, table.first);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(table.ended, 0);
    ck_assert_uint_eq(table.names, 0);
}

static struct child_introduction introduction_of(pid_t pid, uint64_t start_ns)
{
    return (struct child_introduction){
        .pid = pid,
        .parent_pid = 1,
        .start_ns = start_ns,
        .executable = "/bin/true and more",
        .executable_length = strlen("/bin/true"),
    };
}

static struct child *add_child(pid_t pid, uint64_t start_ns)
{
    struct child_introduction who = introduction_of(pid, start_ns);
    struct child *child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    return child;
}

static inline void give_arena(struct child *child)
{
    child->arena_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(child->arena_fd, 0);
    child_set_kept(&table, child, CHILD_KEPT_ARENA);
}

#endif
