/* The libraries that LD_PRELOAD lists, and which of them are ours. Pure; async-signal-safe. */
#ifndef PROFD_COMMON_PRELOAD_LIST_H
#define PROFD_COMMON_PRELOAD_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_PREFIX "LD_PRELOAD="
enum { PRELOAD_PREFIX_BYTES = sizeof(PRELOAD_PREFIX) - 1 };

/* One library of the list; not terminated. */
struct library_path {
    const char *start;
    size_t length;
};

/* Takes the next library of the list at *REST, which moves past it. Returns false at the end. */
bool preload_list_take(const char **rest, struct library_path *path);

/* Whether PATH is the agent: under profd's own name for it, or through the link by which users may
 * preload it. Names without a folder never count, since only the loader knows where it searches for
 * them. */
bool preload_list_is_agent(const struct library_path *path);

/* Whether PATH is the agent or the malloc hooks. */
bool preload_list_is_ours(const struct library_path *path);

#endif
