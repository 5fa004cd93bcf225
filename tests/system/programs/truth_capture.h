/* Books what a capture (a Gecko profile with names) says of the threads of a program of known
 * truth. */
#ifndef TESTS_TRUTH_CAPTURE_H
#define TESTS_TRUTH_CAPTURE_H

#include <cjson/cJSON.h>

#include "tests/system/programs/truth_books.h"

/* The rows of a table as an array, since cJSON's own are lists. */
struct rows {
    const cJSON **row;
    int count;
    const cJSON *schema;
};

static const cJSON *get_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static int rows_make(struct rows *rows, const cJSON *list, const cJSON *schema)
{
    const cJSON *item;
    rows->schema = schema;
    rows->count = 0;
    rows->row = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(rows->row[0]));
    if (rows->row == NULL)
        return -1;
    cJSON_ArrayForEach(item, list)
    {
        rows->row[rows->count++] = item;
    }
    return 0;
}

static int rows_of_table(struct rows *rows, const cJSON *thread, const char *name)
{
    const cJSON *table = get_member(thread, name);
    return rows_make(rows, get_member(table, "data"), get_member(table, "schema"));
}

/* The number in column FIELD of row AT; NAN when there is none. */
static double rows_number(const struct rows *rows, int at, const char *field)
{
    const cJSON *column = get_member(rows->schema, field);
    if (!cJSON_IsNumber(column) || at < 0 || at >= rows->count)
        return NAN;
    const cJSON *cell = cJSON_GetArrayItem(rows->row[at], column->valueint);
    return cJSON_IsNumber(cell) ? cell->valuedouble : NAN;
}

static int rows_index(const struct rows *rows, int at, const char *field)
{
    double number = rows_number(rows, at, field);
    return isnan(number) ? -1 : (int)number;
}

struct stacks {
    struct rows samples, stacks, frames, strings;
};

static int chosen_of_stack(const struct books *books, const struct stacks *of, int stack)
{
    int chosen = SOME_NAME;
    for (; stack >= 0; stack = rows_index(&of->stacks, stack, "prefix")) {
        int frame = rows_index(&of->stacks, stack, "frame");
        int name = rows_index(&of->frames, frame, "location");
        if (name >= 0 && name < of->strings.count && cJSON_IsString(of->strings.row[name]))
            chosen =
                books_choose(chosen, books_classify(books, of->strings.row[name]->valuestring));
    }
    return chosen;
}

static void book_samples(struct books *books, struct booked_thread *thread, const struct stacks *of,
                         double ns_per_unit)
{
    for (int i = 0; i < of->samples.count; i++) {
        double cpu = rows_number(&of->samples, i, "threadCPUDelta");
        int stack = rows_index(&of->samples, i, "stack");
        if (!isnan(cpu))
            books_book(books, thread, chosen_of_stack(books, of, stack), cpu * ns_per_unit);
    }
}

static int book_thread(struct books *books, const cJSON *thread, double ns_per_unit)
{
    struct stacks of = { 0 };
    const cJSON *tid = get_member(thread, "tid"), *process = get_member(thread, "processName");
    struct booked_thread *booked = cJSON_IsNumber(tid) ? find_thread(books, tid->valueint) : NULL;
    int status = -1;
    if (booked == NULL || !cJSON_IsString(process) ||
        strcmp(process->valuestring, books->program) != 0)
        return 0;
    if (rows_of_table(&of.samples, thread, "samples") == 0 &&
        rows_of_table(&of.stacks, thread, "stackTable") == 0 &&
        rows_of_table(&of.frames, thread, "frameTable") == 0 &&
        rows_make(&of.strings, get_member(thread, "stringTable"), NULL) == 0) {
        book_samples(books, booked, &of, ns_per_unit);
        status = 0;
    }
    free(of.samples.row);
    free(of.stacks.row);
    free(of.frames.row);
    free(of.strings.row);
    return status;
}

static int book_processes(struct books *books, const cJSON *process, double ns_per_unit)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, get_member(process, "threads"))
    {
        if (book_thread(books, item, ns_per_unit) < 0)
            return -1;
    }
    cJSON_ArrayForEach(item, get_member(process, "processes"))
    {
        if (book_processes(books, item, ns_per_unit) < 0)
            return -1;
    }
    return 0;
}

/* TEXT: the whole file. Fails when it is no capture. */
static int truth_book_capture(struct books *books, const char *text, size_t bytes)
{
    cJSON *profile = cJSON_ParseWithLength(text, bytes);
    const cJSON *unit =
        get_member(get_member(get_member(profile, "meta"), "sampleUnits"), "threadCPUDelta");
    int status = -1;
    if (cJSON_IsString(unit))
        status = book_processes(books, profile, strcmp(unit->valuestring, "ns") == 0 ? 1 : 1000);
    cJSON_Delete(profile);
    return status;
}

#endif
