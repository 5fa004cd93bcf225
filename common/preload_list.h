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

/* The next one of the list at *REST, which moves behind it. False at the end. */
bool preload_list_take(const char **rest, struct library_path *path);

/* Whether PATH is the agent: as profd names it, or the link that people may preload it by. Names
 * without a folder are not ours to judge: where the loader searches is its own affair. */
bool preload_list_is_agent(const struct library_path *path);

/* Whether it is the agent or the hooks of malloc. */
bool preload_list_is_ours(const struct library_path *path);

#endif
