#include "profctl/raw/raw_survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds ITEM of BYTES to the array *ITEMS of *COUNT, which grows by doubling. */
static int append_item(void **items, size_t *count, const void *item, size_t bytes)
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
    return append_item((void **)&survey->voids, &survey->void_count, &none.id, sizeof(none.id));
}

/* The records of a process are beside each other. */
static int note_damage(struct raw_survey *survey, uint64_t id)
{
    if (survey->damaged_count > 0 && survey->damaged[survey->damaged_count - 1] == id)
        return 0;
    int error = append_item((void **)&survey->damaged, &survey->damaged_count, &id, sizeof(id));

    return error < 0 ? error
                     : append_item((void **)&survey->voids, &survey->void_count, &id, sizeof(id));
}

static int note_list(struct raw_survey *survey, const struct raw_view *record)
{
    struct raw_list_place place = { .offset = record->offset + sizeof(place.list),
                                    .bytes = record->count - sizeof(place.list) };

    memcpy(&place.list, record->bytes, sizeof(place.list));
    return append_item((void **)&survey->lists, &survey->list_count, &place, sizeof(place));
}

static int note_process(struct raw_survey *survey, const struct raw_view *record)
{
    struct raw_process process;

    if (record->count < sizeof(process))
        return 0; /* its reader will report that */
    memcpy(&process, record->bytes, sizeof(process));
    survey->is_filtered |= process.filters_bytes > 0;
    const struct raw_image image = { process.id, process.process_start_ns, process.pid,
                                     process.later_images };
    return append_item((void **)&survey->images, &survey->image_count, &image, sizeof(image));
}

static int note_record(struct raw_survey *survey, const struct raw_view *record)
{
    switch (record->kind) {
    case RAW_VOID:
        return note_void(survey, record);
    case RAW_LIST:
        return note_list(survey, record);
    case RAW_PROCESS:
        return note_process(survey, record);
    default:
        return 0;
    }
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void sort_ids(uint64_t *ids, size_t count)
{
    if (count > 1)
        qsort(ids, count, sizeof(*ids), compare_ids);
}

static bool has_id(const uint64_t *ids, size_t count, uint64_t id)
{
    return count > 0 && bsearch(&id, ids, count, sizeof(*ids), compare_ids) != NULL;
}

/* Whole is what ends with a process. */
static bool is_whole_behind(const struct raw_view *record)
{
    return record->kind == RAW_PROCESS_END || record->kind == RAW_UNPROFILED ||
           record->kind == RAW_TAIL || record->kind == RAW_LIST;
}

static int note_gap(struct raw_survey *survey, const struct raw_view *gap, uint64_t process)
{
    survey->has_gaps = true;
    return gap->is_of_process ? note_damage(survey, process) : 0;
}

static int compare_images(const void *a, const void *b)
{
    const struct raw_image *left = a, *right = b;

    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    if (left->later_images != right->later_images)
        return left->later_images < right->later_images ? -1 : 1;
    if (left->process_start_ns != right->process_start_ns)
        return left->process_start_ns < right->process_start_ns ? -1 : 1;
    return left->id < right->id ? -1 : left->id > right->id;
}

static bool is_copy_of(const struct raw_image *first, const struct raw_image *second)
{
    return first->pid == second->pid && first->later_images == second->later_images &&
           first->process_start_ns == second->process_start_ns;
}

/* A VOID may be among what is lost: of a process that is there twice the last copy counts, since
 * profd makes it once it has taken the one before back. */
static int take_back_copies(struct raw_survey *survey)
{
    const struct raw_image *images = survey->images;
    int error = 0;

    if (!survey->has_gaps || survey->image_count < 2)
        return 0;
    qsort(survey->images, survey->image_count, sizeof(*images), compare_images);
    for (size_t i = 0; i + 1 < survey->image_count && error == 0; i++) {
        if (is_copy_of(&images[i], &images[i + 1]))
            error = note_damage(survey, images[i].id);
    }
    return error;
}

static int survey_records(struct raw_survey *survey, struct raw_reader *reader)
{
    struct raw_view record;
    int error = 0, more = 0;

    while (error == 0 && (more = raw_reader_next(reader, &record)) > 0) {
        error = record.is_damaged ? note_gap(survey, &record, reader->process)
                                  : note_record(survey, &record);
        if (!record.is_damaged && is_whole_behind(&record))
            survey->end = reader->offset;
    }
    if (error == 0)
        error = take_back_copies(survey);
    survey->is_cut = reader->is_cut && survey->end > 0;
    return error < 0 ? error : survey->is_cut ? 0 : more;
}

int raw_survey_make(struct raw_survey *survey, int fd)
{
    struct raw_reader reader;

    *survey = (struct raw_survey){ 0 };
    int error = raw_reader_init(&reader, fd);
    reader.passes_damage = true;
    if (error == 0)
        error = survey_records(survey, &reader);
    memcpy(survey->error, reader.error, sizeof(survey->error));
    raw_reader_fini(&reader);
    sort_ids(survey->voids, survey->void_count);
    sort_ids(survey->damaged, survey->damaged_count);
    return error;
}

bool raw_survey_has(const struct raw_survey *survey, uint64_t id)
{
    return !has_id(survey->voids, survey->void_count, id);
}

bool raw_survey_is_damaged(const struct raw_survey *survey, uint64_t id)
{
    return has_id(survey->damaged, survey->damaged_count, id);
}

void raw_survey_free(struct raw_survey *survey)
{
    free(survey->voids);
    free(survey->damaged);
    free(survey->images);
    free(survey->lists);
    *survey = (struct raw_survey){ 0 };
}
