/* What a raw capture has in it, found out by a pass over all of it before anything is made of it.
 * One thread. */
#ifndef PROFD_PROFCTL_RAW_SURVEY_H
#define PROFD_PROFCTL_RAW_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profctl/raw/raw_reader.h"

/* A list of generated code: its bytes are in the file. */
struct raw_list_place {
    struct raw_list list;
    uint64_t offset, bytes;
};

/* By what a process that was copied once more is known again. */
struct raw_image {
    uint64_t id, process_start_ns;
    int32_t pid;
    uint32_t later_images;
};

struct raw_survey {
    uint64_t *voids; /* ids of processes that do not count, damaged ones among them; owned */
    size_t void_count;
    uint64_t *damaged; /* ids of processes that are not what was written; owned */
    size_t damaged_count;
    struct raw_image *images; /* all that were copied, in their order; owned */
    size_t image_count;
    bool has_gaps;                /* parts of the file are damaged */
    bool is_cut;                  /* the file ends too early, as ERROR says; … */
    uint64_t end;                 /* … of what is whole of it, behind a process or more */
    struct raw_list_place *lists; /* owned */
    size_t list_count;
    bool is_filtered; /* for threads: processes may have none that passes */
    char error[RAW_ERROR_BYTES];
};

/* Looks through all of FD. Returns 0, also when it is cut behind a whole process, or some are
 * damaged; or as raw_reader_next(), with SURVEY->error. Needs raw_survey_free() in any case. */
int raw_survey_make(struct raw_survey *survey, int fd);
void raw_survey_free(struct raw_survey *survey);

/* Returns whether process ID counts. */
bool raw_survey_has(const struct raw_survey *survey, uint64_t id);
/* Returns whether process ID does not count because it is damaged. */
bool raw_survey_is_damaged(const struct raw_survey *survey, uint64_t id);

#endif
