/* Categories, as they pass from processes into one file.
 *
 * Viewers read the categories of all processes against the root's list. So a file has one list of
 * all categories and subcategories that were met, in the order in which they were, and the numbers
 * of each process, which are places in its own list, become places in that. A name is one category:
 * the colour of the first counts. A zeroed struct is empty. One thread. */
#ifndef PROFD_PROFCTL_CATEGORY_LISTS_H
#define PROFD_PROFCTL_CATEGORY_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"
#include "profctl/tables/thread_tables.h"

struct category_lists {
    struct mapped_array categories; /* struct listed_category: of the whole file */
    bool has_process;               /* the list of the current process was read … */
    struct mapped_array places;     /* struct process_category: … where its categories are */
    struct mapped_array parts;      /* uint32_t: … and their subcategories */
};

/* Reads a list, the value that comes next, of the process whose threads come next. Returns 0,
 * -ENOMEM, -EPROTO if it is not such a list, or the reader's error. */
int category_lists_read(struct category_lists *lists, struct json_reader *reader);

/* Begins the next process. Its numbers stay unchanged until its list is read. */
void category_lists_forget_process(struct category_lists *lists);

/* Writes the list of the file as known so far. */
void category_lists_write(const struct category_lists *lists, struct json_writer *writer);

/* Replaces the process' numbers by those of the file. 0, or -EPROTO for what is not in its list. */
int category_lists_map(const struct category_lists *lists, uint32_t *category,
                       uint32_t *subcategory);
/* Like category_lists_map(), for all frames of a thread. */
int category_lists_map_frames(const struct category_lists *lists, struct thread_tables *tables);

/* Reads the list of the process whose profile is at byte START of the file FD, and BYTES long; of
 * one that is damaged as much as is there. Returns 0 or -ENOMEM. */
int category_lists_look_at(struct category_lists *lists, int fd, uint64_t start, uint64_t bytes);

void category_lists_free(struct category_lists *lists);

#endif
