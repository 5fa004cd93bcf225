/* Rows of an export by who they are of, threads apart: each group is a profile. One thread. */
#ifndef PROFD_PROFCTL_PUSH_GROUPS_H
#define PROFD_PROFCTL_PUSH_GROUPS_H

#include "profctl/export/export_rows.h"
#include "profctl/push/push_source.h"

struct push_row {
    uint32_t minute_s, group; /* a number for all that the source has but its thread */
    uint32_t row;             /* of the sums */
    struct push_text thread;  /* a view into the sources of the rows */
};

struct push_group {
    uint32_t minute_s;
    struct push_source source; /* but for the thread, which each row has of its own */
    const struct push_row *rows;
    size_t count;
};

/* Zeroed: there are none. */
struct push_groups {
    struct mapped_array rows; /* struct push_row, sorted by the first two */
};

/* Groups all rows of ROWS. Returns 0, -ENOMEM, or the error of push_source_read(). */
int push_groups_make(struct push_groups *groups, const struct export_rows *rows);
void push_groups_free(struct push_groups *groups);

/* The group that begins at row *NEXT of GROUPS, which is moved behind it. False: there are no
 * more. */
bool push_groups_next(const struct push_groups *groups, const struct export_rows *rows,
                      size_t *next, struct push_group *out);

#endif
