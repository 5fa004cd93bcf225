#include "profctl/tables/category_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/json_steps.h"

struct text {
    char *bytes;
    size_t length;
};

struct listed_category {
    struct text name, colour;
    struct mapped_array parts; /* struct text: the subcategories */
};

/* A category of the process at hand. */
struct process_category {
    uint32_t place;      /* in the file's list */
    uint32_t first_part; /* its subcategories, in parts of the lists */
    uint32_t part_count;
};

static const char other[] = "Other";

/* --- Texts --- */

static int copy_text(struct text *out, const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);

    if (copy == NULL)
        return -ENOMEM;
    memcpy(copy, bytes, length);
    free(out->bytes);
    out->bytes = copy;
    out->length = length;
    return 0;
}

static bool equal_texts(const struct text *a, const struct text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

/* Leaves the room for parts to the next category that is read. */
static void empty_category(struct listed_category *category)
{
    struct text *parts = category->parts.items;

    for (size_t i = 0; i < category->parts.count; i++) {
        free(parts[i].bytes);
        parts[i] = (struct text){ 0 };
    }
    category->parts.count = 0;
    free(category->name.bytes);
    free(category->colour.bytes);
    category->name = category->colour = (struct text){ 0 };
}

static void free_category(struct listed_category *category)
{
    empty_category(category);
    mapped_array_free(&category->parts);
}

/* --- Reading --- */

static int take_string(struct text *out, struct json_reader *reader, int token)
{
    const char *bytes;
    size_t length;

    if (token != JSON_TOKEN_STRING)
        return json_token_error(token);
    int error = json_reader_string(reader, &bytes, &length);
    return error < 0 ? error : copy_text(out, bytes, length);
}

static int add_part(struct listed_category *category, struct json_reader *reader, int token)
{
    struct text *added = mapped_array_push(&category->parts, sizeof(*added));

    return added == NULL ? -ENOMEM : take_string(added, reader, token);
}

static int read_parts(struct listed_category *out, struct json_reader *reader)
{
    int token, error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    while (error == 0 && (token = json_reader_next(reader)) != JSON_TOKEN_END_ARRAY)
        error = add_part(out, reader, token);
    return error;
}

/* A category, of which the start was read. */
static int read_category(struct listed_category *out, struct json_reader *reader)
{
    int error = 0;

    while (json_next_member(reader, &error)) {
        if (json_reader_is(reader, "name"))
            error = take_string(&out->name, reader, json_reader_next(reader));
        else if (json_reader_is(reader, "color"))
            error = take_string(&out->colour, reader, json_reader_next(reader));
        else if (json_reader_is(reader, "subcategories"))
            error = read_parts(out, reader);
        else
            error = json_reader_skip(reader);
    }
    return error;
}

/* --- Bringing together --- */

static int find_or_add_part(struct listed_category *category, const struct text *name,
                            uint32_t *place)
{
    struct text *parts = category->parts.items;

    for (*place = 0; *place < category->parts.count; ++*place)
        if (equal_texts(&parts[*place], name))
            return 0;
    struct text *added = mapped_array_push(&category->parts, sizeof(*added));
    return added == NULL ? -ENOMEM : copy_text(added, name->bytes, name->length);
}

/* A category of the file like DESCRIBED, with the subcategory that each must have. */
static int add_category(struct category_lists *lists, const struct listed_category *described)
{
    static const char grey[] = "grey";
    const struct text *colour = &described->colour;
    struct listed_category *added = mapped_array_push(&lists->categories, sizeof(*added));
    struct text *first;

    if (added == NULL)
        return -ENOMEM;
    first = mapped_array_push(&added->parts, sizeof(*first));
    int error = first == NULL ? -ENOMEM : copy_text(first, other, sizeof(other) - 1);
    if (error == 0)
        error = copy_text(&added->name, described->name.bytes, described->name.length);
    if (error == 0)
        error = colour->bytes != NULL ? copy_text(&added->colour, colour->bytes, colour->length)
                                      : copy_text(&added->colour, grey, sizeof(grey) - 1);
    return error;
}

static int find_or_add_category(struct category_lists *lists, const struct listed_category *wanted,
                                uint32_t *place)
{
    const struct listed_category *known = lists->categories.items;

    for (*place = 0; *place < lists->categories.count; ++*place)
        if (equal_texts(&known[*place].name, &wanted->name))
            return 0;
    return add_category(lists, wanted);
}

/* Notes where the next category of the process, and all that is in it, is in the file. */
static int take_category(struct category_lists *lists, const struct listed_category *read)
{
    const struct text *parts = read->parts.items;
    struct process_category *added = mapped_array_push(&lists->places, sizeof(*added));
    int error = added == NULL ? -ENOMEM : 0;

    if (error == 0 && read->name.bytes == NULL)
        error = -EPROTO;
    if (error == 0)
        error = find_or_add_category(lists, read, &added->place);
    if (error < 0)
        return error;
    added->first_part = (uint32_t)lists->parts.count;
    added->part_count = (uint32_t)read->parts.count;
    for (size_t i = 0; error == 0 && i < read->parts.count; i++) {
        struct listed_category *all = lists->categories.items;
        uint32_t *part = mapped_array_push(&lists->parts, sizeof(*part));

        error = part == NULL ? -ENOMEM : find_or_add_part(&all[added->place], &parts[i], part);
    }
    return error;
}

int category_lists_read(struct category_lists *lists, struct json_reader *reader)
{
    struct listed_category read = { 0 };
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    category_lists_forget_process(lists);
    if (error < 0)
        return error;
    while (json_next_object(reader, &error)) {
        error = read_category(&read, reader);
        if (error == 0)
            error = take_category(lists, &read);
        empty_category(&read);
    }
    free_category(&read);
    lists->has_process = true;
    return error;
}

void category_lists_forget_process(struct category_lists *lists)
{
    lists->has_process = false;
    lists->places.count = lists->parts.count = 0;
}

void category_lists_free(struct category_lists *lists)
{
    struct listed_category *categories = lists->categories.items;

    for (size_t i = 0; i < lists->categories.count; i++)
        free_category(&categories[i]);
    mapped_array_free(&lists->categories);
    mapped_array_free(&lists->places);
    mapped_array_free(&lists->parts);
}

/* --- Writing --- */

static void write_category(const struct listed_category *category, struct json_writer *writer)
{
    const struct text *parts = category->parts.items;

    json_start_object(writer);
    json_name(writer, "name");
    json_string_bytes(writer, category->name.bytes, category->name.length);
    json_name(writer, "color");
    json_string_bytes(writer, category->colour.bytes, category->colour.length);
    json_start_array_property(writer, "subcategories");
    for (size_t i = 0; i < category->parts.count; i++)
        json_string_bytes(writer, parts[i].bytes, parts[i].length);
    json_end_array(writer);
    json_end_object(writer);
}

void category_lists_write(const struct category_lists *lists, struct json_writer *writer)
{
    const struct listed_category *categories = lists->categories.items;

    json_start_array(writer);
    for (size_t i = 0; i < lists->categories.count; i++)
        write_category(&categories[i], writer);
    json_end_array(writer);
}

/* --- Numbers --- */

int category_lists_map(const struct category_lists *lists, uint32_t *category,
                       uint32_t *subcategory)
{
    const struct process_category *places = lists->places.items;

    if (!lists->has_process)
        return 0;
    if (*category >= lists->places.count)
        return -EPROTO;
    const struct process_category *place = &places[*category];
    if (*subcategory >= place->part_count && *subcategory != 0)
        return -EPROTO;
    *category = place->place;
    if (place->part_count > 0)
        *subcategory = ((const uint32_t *)lists->parts.items)[place->first_part + *subcategory];
    return 0;
}

int category_lists_map_frames(const struct category_lists *lists, struct thread_tables *tables)
{
    struct table_frame *frames = tables->frames.items;
    int error = 0;

    for (size_t i = 0; error == 0 && i < tables->frames.count; i++)
        error = category_lists_map(lists, &frames[i].category, &frames[i].subcategory);
    return error;
}

/* --- Looking ahead --- */

struct piece {
    int fd;
    uint64_t at, end;
};

static ssize_t read_piece(void *context, char *bytes, size_t n)
{
    struct piece *piece = context;
    uint64_t rest = piece->end - piece->at;
    ssize_t got = pread(piece->fd, bytes, n < rest ? n : (size_t)rest, (off_t)piece->at);

    if (got < 0)
        return -errno;
    piece->at += (uint64_t)got;
    return got;
}

/* Goes into the member NAME of the object that comes next. */
static bool find_member(struct json_reader *reader, const char *name)
{
    int error = json_expect(reader, JSON_TOKEN_START_OBJECT);

    while (json_next_member(reader, &error)) {
        if (json_reader_is(reader, name))
            return true;
        error = json_reader_skip(reader);
    }
    return false;
}

int category_lists_look_at(struct category_lists *lists, int fd, uint64_t start, uint64_t bytes)
{
    struct piece piece = { fd, start, start + bytes };
    struct json_reader *reader;
    int error = json_reader_open(read_piece, &piece, &reader);

    if (error < 0)
        return error;
    if (find_member(reader, "meta") && find_member(reader, "categories"))
        error = category_lists_read(lists, reader);
    json_reader_close(reader);
    category_lists_forget_process(lists);
    return error == -ENOMEM ? error : 0;
}
