#include "child-agent/process_title.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "buffer/arena_title.h"
#include "child-agent/core.h"
#include "child-agent/upcalls.h"
#include "common/file_name.h"

enum { KERNEL_NAME_LENGTH = 15 };

static struct {
    const char *area;             /* the first argument, and whatever is written over it */
    char seen[ARENA_TITLE_BYTES]; /* what was there when the process began, by exec or fork */
    char inherited[ARENA_TITLE_BYTES];
    char chosen[ARENA_TITLE_BYTES];
    char main_thread[KERNEL_NAME_LENGTH + 1];
    _Atomic bool is_busy; /* somebody writes into the header */
} title;

/* Whether NAME says no more than which thread it is, or which program. */
static bool says_nothing(const char *name)
{
    static const char *const main_threads[] = { "main", "MainThread", "main thread", "GeckoMain" };
    for (size_t i = 0; i < sizeof(main_threads) / sizeof(main_threads[0]); i++)
        if (strcasecmp(name, main_threads[i]) == 0)
            return true;
    return strncmp(name, file_name_of(core_executable()), KERNEL_NAME_LENGTH) == 0;
}

/* What TITLE.AREA says, unless that is BEFORE; "": it says nothing, or there is none. */
static void read_area(const char *before, char out[ARENA_TITLE_BYTES])
{
    out[0] = '\0';
    if (title.area != NULL)
        arena_title_find(title.area, ARENA_TITLE_BYTES, before, out);
}

/* The title as it is now; "": the process has none. */
static void find_title(char out[ARENA_TITLE_BYTES])
{
    if (title.chosen[0] != '\0') {
        memcpy(out, title.chosen, ARENA_TITLE_BYTES);
        return;
    }
    read_area(title.seen, out);
    if (out[0] == '\0')
        memcpy(out, title.main_thread, sizeof(title.main_thread));
    if (out[0] == '\0')
        memcpy(out, title.inherited, ARENA_TITLE_BYTES);
}

void process_title_initialize(int argument_count, char **arguments)
{
    if (argument_count < 1 || arguments[0] == NULL)
        return;
    title.area = arguments[0];
    read_area("", title.seen);
}

bool process_title_exists(void)
{
    char now[ARENA_TITLE_BYTES];
    find_title(now);
    return now[0] != '\0';
}

void process_title_follow(void)
{
    char now[ARENA_TITLE_BYTES];
    if (core_local.is_dormant && process_title_exists())
        upcall_wake();
    if (!core_local.has_arena || core_is_forking)
        return;
    find_title(now);
    char *shown = core.arena.header->title;
    if (strcmp(shown, now) == 0 || atomic_exchange(&title.is_busy, true))
        return;
    memcpy(shown, now, strlen(now) + 1);
    atomic_store(&title.is_busy, false);
}

void process_title_choose(const char *name)
{
    snprintf(title.chosen, sizeof(title.chosen), "%s", name);
    process_title_follow();
}

void process_title_name_main_thread(const char *name)
{
    snprintf(title.main_thread, sizeof(title.main_thread), "%s", says_nothing(name) ? "" : name);
    process_title_follow();
}

void process_title_after_fork_child(void)
{
    char now[ARENA_TITLE_BYTES];
    find_title(now);
    memcpy(title.inherited, now, sizeof(now));
    title.main_thread[0] = '\0';
    read_area("", title.seen);
    atomic_store(&title.is_busy, false);
}
