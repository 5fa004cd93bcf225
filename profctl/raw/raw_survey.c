#include "profctl/raw/raw_survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds ITEM of BYTES to the array *ITEMS of *COUNT, which grows by doubling. */
static int append(void **items, size_t *count, const void *item, size_t bytes)
{
    if ((*count & (*count - 1)) == 0) {
        void *grown = reallocarray(*items, *count == 0 ? 1 : 2 * *count, bytes);
        if (grown == NULL)
            return -ENOMEM;
        *items = grown;
    }
    memcpy((char *)*items + *count * bytes, item, bytes);
    (*count)++;
    return 0;
}

static int note_void(struct raw_survey *survey, const struct raw_view *record)
{
    struct raw_void none;

    memcpy(&none, record->bytes, sizeof(none));
    return append((void **)&survey->voids, &survey->void_count, &none.id, sizeof(none.id));
}

static int note_list(struct raw_survey *survey, const struct raw_view *record)
{
    struct raw_list_place place = { .offset = record->offset + sizeof(place.list),
                                    .bytes = record->count - sizeof(place.list) };

    memcpy(&place.list, record->bytes, sizeof(place.list));
    return append((void **)&survey->lists, &survey->list_count, &place, sizeof(place));
}

static void note_process(struct raw_survey *survey, const struct raw_view *record)
{
    struct raw_process process;

    if (record->count < sizeof(process))
        return; /* whoever reads it will tell */
    memcpy(&process, record->bytes, sizeof(process));
    survey->is_filtered |= process.filters_bytes > 0;
}

static int note_record(struct raw_survey *survey, const struct raw_view *record)
{
    switch (record->kind) {
    case RAW_VOID:
        return note_void(survey, record);
    case RAW_LIST:
        return note_list(survey, record);
    case RAW_PROCESS:
        note_process(survey, record);
        return 0;
    default:
        return 0;
    }
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

int raw_survey_make(struct raw_survey *survey, int fd)
{
    struct raw_reader reader;
    struct raw_view record;
    int more = 0;

    *survey = (struct raw_survey){ 0 };
    int err = raw_reader_init(&reader, fd);
    while (err == 0 && (more = raw_reader_next(&reader, &record)) > 0)
        err = note_record(survey, &record);
    if (err == 0)
        err = more;
    memcpy(survey->error, reader.error, sizeof(survey->error));
    raw_reader_fini(&reader);
    if (survey->void_count > 1)
        qsort(survey->voids, survey->void_count, sizeof(*survey->voids), compare_ids);
    return err;
}

bool raw_survey_has(const struct raw_survey *survey, uint64_t id)
{
    return survey->void_count == 0 || bsearch(&id, survey->voids, survey->void_count,
                                              sizeof(*survey->voids), compare_ids) == NULL;
}

void raw_survey_free(struct raw_survey *survey)
{
    free(survey->voids);
    free(survey->lists);
    *survey = (struct raw_survey){ 0 };
}
