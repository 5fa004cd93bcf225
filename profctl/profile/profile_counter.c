#include "profctl/profile/profile_counter.h"

#include <errno.h>
#include <stdlib.h>

#include "profctl/json_steps.h"
#include "profctl/tables/json_table.h"
#include "profctl/tables/json_text.h"

enum { SAMPLE_TIME, SAMPLE_COUNT, SAMPLE_NUMBER, SAMPLE_COLUMNS };
static const char *const sample_columns[SAMPLE_COLUMNS] = { "time", "count", "number" };

static void forget_counter(struct profile_counter *counter)
{
    free(counter->name);
    free(counter->category);
    free(counter->description);
    counter->name = counter->category = counter->description = NULL;
    counter->samples.count = 0;
}

void profile_counter_free(struct profile_counter *counter)
{
    forget_counter(counter);
    mapped_array_free(&counter->samples);
}

static double number_or_none(const struct json_cell *cell)
{
    return cell->token == JSON_TOKEN_NUMBER ? cell->number : 0;
}

static int add_sample(struct profile_counter *counter, const struct json_cell *cells)
{
    if (cells[SAMPLE_TIME].token != JSON_TOKEN_NUMBER)
        return -EPROTO;
    struct counter_sample *sample = mapped_array_push(&counter->samples, sizeof(*sample));
    if (sample == NULL)
        return -ENOMEM;
    *sample =
        (struct counter_sample){ cells[SAMPLE_TIME].number, number_or_none(&cells[SAMPLE_COUNT]),
                                 number_or_none(&cells[SAMPLE_NUMBER]) };
    return 0;
}

static int read_samples(struct profile_counter *counter, struct json_reader *reader)
{
    struct json_cell cells[JSON_TABLE_MAX_COLUMNS];
    struct json_table table;
    int error = json_table_open(&table, sample_columns, SAMPLE_COLUMNS, reader);

    counter->samples.count = 0;
    while (json_table_next(&table, reader, cells, &error))
        error = add_sample(counter, cells);
    return error;
}

static int read_member(struct profile_counter *counter, struct json_reader *reader)
{
    if (json_reader_is(reader, "name"))
        return json_text_keep(reader, &counter->name);
    if (json_reader_is(reader, "category"))
        return json_text_keep(reader, &counter->category);
    if (json_reader_is(reader, "description"))
        return json_text_keep(reader, &counter->description);
    if (json_reader_is(reader, "samples"))
        return read_samples(counter, reader);
    return json_reader_skip(reader);
}

int profile_counter_read(struct profile_counter *counter, struct json_reader *reader)
{
    int error = 0;

    forget_counter(counter);
    while (json_next_member(reader, &error))
        error = read_member(counter, reader);
    return error;
}
