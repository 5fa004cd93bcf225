#include "profctl/processed/counters_write.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "profctl/json_copy.h"
#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"
#include "profctl/processed/counter_display.h"
#include "profctl/processed/process_id.h"
#include "profctl/processed/time_ns.h"

static int open_file(struct counter_list *list)
{
    if (list->file != NULL)
        return 0;
    list->file = tmpfile();
    if (list->file == NULL)
        return -errno;
    failure_latch_init(&list->latch);
    json_writer_init_sink(&list->text, json_sink_file, list->file, &list->latch);
    json_start_array(&list->text);
    return 0;
}

/* --- One counter --- */

static void put_times(const struct profile_counter *counter, struct json_writer *writer)
{
    const struct counter_sample *samples = counter->samples.items;
    int64_t last_ns = 0;

    json_start_array_property(writer, "timeDeltas");
    for (size_t i = 0; i < counter->samples.count; i++) {
        int64_t time_ns = time_ns_of_ms(samples[i].time_ms);
        json_time_ms(writer, time_ns - last_ns);
        last_ns = time_ns;
    }
    json_end_array(writer);
}

static void put_counts(const struct profile_counter *counter, struct json_writer *writer)
{
    const struct counter_sample *samples = counter->samples.items;
    bool has_numbers = false;

    json_start_array_property(writer, "count");
    for (size_t i = 0; i < counter->samples.count; i++) {
        json_double(writer, samples[i].count);
        has_numbers = has_numbers || samples[i].number != 0;
    }
    json_end_array(writer);
    if (!has_numbers)
        return;
    json_start_array_property(writer, "number");
    for (size_t i = 0; i < counter->samples.count; i++)
        json_double(writer, samples[i].number);
    json_end_array(writer);
}

int counter_list_add(struct counter_list *list, const struct profile_counter *counter,
                     const struct counter_owner *owner)
{
    const char *name = counter->name != NULL ? counter->name : "";
    const char *category = counter->category != NULL ? counter->category : "";
    struct json_writer *writer = &list->text;

    if (counter->samples.count == 0)
        return 0;
    int error = open_file(list);
    if (error < 0)
        return error;
    json_start_object(writer);
    json_string_property(writer, "name", name);
    json_string_property(writer, "category", category);
    json_string_property(writer, "description",
                         counter->description != NULL ? counter->description : "");
    process_id_write(writer, owner->pid);
    json_u64_property(writer, "mainThreadIndex", owner->main_thread);
    json_start_object_property(writer, "samples");
    json_u64_property(writer, "length", counter->samples.count);
    put_times(counter, writer);
    put_counts(counter, writer);
    json_end_object(writer);
    counter_display_write(name, category, writer);
    json_end_object(writer);
    return failure_latch_error(&list->latch);
}

/* --- All --- */

/* Ends the text and goes back to its start. */
static int finish_text(struct counter_list *list)
{
    json_end_array(&list->text);
    int error = json_writer_flush(&list->text);
    if (error == 0 && (fflush(list->file) != 0 || lseek(fileno(list->file), 0, SEEK_SET) < 0))
        error = -errno;
    return error;
}

/* A member of a counter, whose key was read. */
static int copy_member(struct json_reader *reader, uint32_t first_thread,
                       struct json_writer *writer)
{
    const char *name;
    size_t length;
    uint64_t index;

    if (json_reader_is(reader, "mainThreadIndex")) {
        if (json_reader_next(reader) != JSON_TOKEN_NUMBER || json_reader_u64(reader, &index) < 0)
            return -EPROTO;
        json_u64_property(writer, "mainThreadIndex", first_thread + index);
        return 0;
    }
    int error = json_reader_string(reader, &name, &length);
    if (error < 0)
        return error;
    json_name_bytes(writer, name, length);
    return json_copy_value(reader, writer);
}

static int copy_counters(struct json_reader *reader, uint32_t first_thread,
                         struct json_writer *writer)
{
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(reader, &error)) {
        json_start_object(writer);
        while (json_next_member(reader, &error))
            error = copy_member(reader, first_thread, writer);
        json_end_object(writer);
    }
    return error;
}

int counter_list_write(struct counter_list *list, uint32_t first_thread, struct json_writer *writer)
{
    struct json_reader *reader;

    if (list->file == NULL)
        return 0;
    int error = finish_text(list);
    if (error < 0)
        return error;
    error = json_reader_open_fd(fileno(list->file), &reader);
    if (error < 0)
        return error;
    error = copy_counters(reader, first_thread, writer);
    json_reader_close(reader);
    return error;
}

void counter_list_free(struct counter_list *list)
{
    if (list->file == NULL)
        return;
    json_writer_fini(&list->text);
    fclose(list->file);
    list->file = NULL;
}
