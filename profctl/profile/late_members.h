/* Members of a thread that came before what they refer to, kept as JSON. Firefox writes samples and
 * markers first, then stacks, frames and strings; profd writes them in the opposite order. One
 * thread. */
#ifndef PROFD_PROFCTL_LATE_MEMBERS_H
#define PROFD_PROFCTL_LATE_MEMBERS_H

#include <stdbool.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"

/* In the order in which they can be read. */
enum late_member { LATE_FRAMES, LATE_STACKS, LATE_SAMPLES, LATE_MARKERS, LATE_MEMBERS };

/* A zeroed struct is empty. */
struct late_members {
    struct mapped_array texts[LATE_MEMBERS]; /* char: the value */
    bool are_there[LATE_MEMBERS];
};

/* Drops the members but keeps the memory. */
void late_members_clear(struct late_members *late);
void late_members_free(struct late_members *late);

/* Keeps the value of MEMBER, whose key READER has just returned. Returns 0; -EPROTO if there is one
 * already; -ENOMEM, or the reader's error. */
int late_members_keep(struct late_members *late, enum late_member member,
                      struct json_reader *reader);

/* Returns its name, for messages. */
const char *late_member_name(enum late_member member);

#endif
