/* The performance groups of this process, by kind and name, and their records in the arena.
 *
 * A group's record is made when it is first measured, in each process anew: a forked child begins
 * at 0. A group without references stays where it is, with its totals, and is found again when it
 * is asked for. Any thread, but not in signal handlers, unless it says otherwise. */
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
    _Atomic uint32_t record_epoch; /* of the image that has the record; see core_epoch */
    _Atomic uint32_t references;
    struct group_peaks *_Atomic peaks;     /* NULL: it never was janky, or there is no room */
    _Atomic uint32_t peaks_epoch;          /* likewise */
    struct group_counter *_Atomic counter; /* NULL: none yet */
    _Atomic bool is_active;
    uint32_t flags;         /* enum group_flags */
    _Atomic int32_t thread; /* of a top group */
    uint64_t id;
    uint8_t kind_bytes, name_bytes;
    char text[];
};

/* The group of IDENTITY with one more reference: a new one is active if IS_ACTIVE. A top group
 * (GROUP_IS_TOP) that somebody has is not shared. Never NULL: without memory it is "other". */
struct profd_group *group_registry_ref(const struct group_identity *identity, bool is_active);

void group_registry_unref(struct profd_group *group);

/* What GROUP's costs are added to: its record, that of "other" where there is no room, or NULL when
 * there is not even an arena. */
struct group_record *group_registry_record(struct profd_group *group);

/* Where GROUP's longest iterations are noted; of the record that its costs are added to. NULL when
 * there is no room. */
struct group_peaks *group_registry_peaks(struct profd_group *group);

/* Nobody adds a group meanwhile. What the first returns is for the second. */
bool group_registry_hold(void);
void group_registry_release(bool was_in_groups);

/* In a signal handler: whether nobody does at this moment. */
bool group_registry_is_free(void);

/* Memory that is never given back, and zeroed; NULL: there is none. */
void *group_registry_allocate(size_t bytes);

/* Around fork. */
void group_registry_before_fork(void);
void group_registry_after_fork_parent(void);
void group_registry_after_fork_child(void);

#endif
