/* The performance groups of this process, by kind and name, and their records in the arena.
 *
 * A group's record is created when it is first measured, separately in each process: a forked child
 * starts at 0. A group without references stays, with its totals, and is found again when it is
 * requested. Any thread, but not in signal handlers, unless stated otherwise. */
#ifndef PROFD_AGENT_GROUP_REGISTRY_H
#define PROFD_AGENT_GROUP_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/group_peaks.h"
#include "buffer/group_table_writer.h"

struct group_counter; /* see group_session.c */

struct profd_group {
    struct profd_group *next; /* in its bucket */
    struct group_record *_Atomic record;
    _Atomic uint32_t record_epoch; /* core_epoch of the image that has the record */
    _Atomic uint32_t references;
    struct group_peaks *_Atomic peaks;     /* NULL: it was never janky, or there is no room */
    _Atomic uint32_t peaks_epoch;          /* core_epoch of the image that has the peaks */
    struct group_counter *_Atomic counter; /* NULL: none yet */
    _Atomic bool is_active;
    uint32_t flags;         /* enum group_flags */
    _Atomic int32_t thread; /* of a top group */
    uint64_t id;
    uint8_t kind_bytes, name_bytes;
    char text[];
};

/* Returns the group of IDENTITY with one more reference. A new group is active if IS_ACTIVE. A top
 * group (GROUP_IS_TOP) that is in use is not shared. Never returns NULL: if there is no memory, the
 * group is "other". */
struct profd_group *group_registry_ref(const struct group_identity *identity, bool is_active);

void group_registry_unref(struct profd_group *group);

/* Returns the record to which GROUP's costs are added: its own, that of "other" if there is no
 * room, or NULL if there is no arena. */
struct group_record *group_registry_record(struct profd_group *group);

/* Returns where GROUP's longest iterations are noted, for the record to which its costs are added.
 * NULL if there is no room. */
struct group_peaks *group_registry_peaks(struct profd_group *group);

/* Between hold and release nobody adds a group. Pass the result of the first function to the
 * second. */
bool group_registry_hold(void);
void group_registry_release(bool was_in_groups);

/* Returns whether nobody holds the registry. For signal handlers. */
bool group_registry_is_free(void);

/* Returns zeroed memory that is never freed; NULL if there is none. */
void *group_registry_allocate(size_t bytes);

/* Called around fork. */
void group_registry_before_fork(void);
void group_registry_after_fork_parent(void);
void group_registry_after_fork_child(void);

#endif
