/* The libraries of a profile, as symbol servers know them: by the name and the id of their debug
 * information. One thread. */
#ifndef PROFD_PROFCTL_LIBRARY_LIST_H
#define PROFD_PROFCTL_LIBRARY_LIST_H

#include "profctl/tables/process_libraries.h"

struct library_list; /* opaque */

/* Returns 0 or -ENOMEM. */
int library_list_create(struct library_list **out);
void library_list_free(struct library_list *list);

/* Adds those of a process which have such an id and are not there yet; copies what it keeps.
 * Returns 0 or -ENOMEM. */
int library_list_add(struct library_list *list, const struct process_libraries *libraries);

/* The library known by both, owned by the list; NULL: the profile has none, or (with -ENOMEM in
 * *ERROR, which is 0 otherwise) no memory. */
struct symbol_library *library_list_find(struct library_list *list, const char *debug_name,
                                         const char *debug_id, int *error);

#endif
