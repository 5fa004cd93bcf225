#include "profctl/push/minute_pprof.h"

#include <errno.h>

#include "common/time_units.h"
#include "profctl/convert/pprof_writer.h"
#include "profctl/json_sinks.h"
#include "profctl/push/push_places.h"
#include "profctl/push/stack_path.h"

const struct minute_profile minute_profiles[MINUTE_PROFILES] = {
    { "process_cpu", PUSH_SAMPLES, 2 },
    { "memory", PUSH_ALLOC_OBJECTS, 2 },
    { "jank", PUSH_JANK, 1 },
};

struct minute_encoder {
    const struct export_rows *rows;
    const struct minute_profile *profile;
    struct pprof_writer writer;
    struct unique_strings keys; /* of frames */
    struct stack_path path;     /* of the stack at hand */
    uint64_t samples;
};

static int write_types(struct minute_encoder *encoder)
{
    const struct minute_profile *profile = encoder->profile;
    Pprof__ValueType types[MINUTE_PROFILE_VALUES], *list[MINUTE_PROFILE_VALUES] = { 0 };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    for (int i = 0; i < profile->count; i++) {
        const struct push_value_name *name = &push_value_names[(int)profile->first + i];
        pprof__value_type__init(&types[i]);
        types[i].type = pprof_writer_word(&encoder->writer, name->type);
        types[i].unit = pprof_writer_word(&encoder->writer, name->unit);
        list[i] = &types[i];
    }
    message.n_sample_type = (size_t)profile->count;
    message.sample_type = list;
    message.period_type = list[profile->count - 1];
    message.default_sample_type = message.period_type->type;
    return pprof_writer_message(&encoder->writer, &message);
}

static int write_row(struct minute_encoder *encoder, const struct push_row *row)
{
    const struct export_rows *rows = encoder->rows;
    const struct sums *sums = sum_table_sums(&rows->sums, row->row);
    int64_t values[MINUTE_PROFILE_VALUES] = { 0 };
    bool has_any = false;
    Pprof__Label label = PPROF__LABEL__INIT, *labels[] = { &label };
    Pprof__Sample sample = PPROF__SAMPLE__INIT;

    for (int i = 0; i < encoder->profile->count; i++) {
        values[i] = push_value_of(sums, (enum push_value)((int)encoder->profile->first + i));
        has_any |= values[i] != 0;
    }
    if (!has_any)
        return 0;
    int error = stack_path_read(rows, sum_table_key(&rows->sums, row->row).stack, &encoder->keys,
                                &encoder->path);
    if (error < 0)
        return error;
    encoder->samples++;
    label.key = pprof_writer_word(&encoder->writer, "thread");
    label.str = pprof_writer_string(&encoder->writer, row->thread.bytes, row->thread.length);
    sample.n_value = (size_t)encoder->profile->count;
    sample.value = values;
    sample.n_label = 1;
    sample.label = labels;
    return pprof_writer_sample(&encoder->writer, encoder->path.frames.items,
                               encoder->path.frames.count, &sample);
}

static int write_all(struct minute_encoder *encoder, const struct push_group *group,
                     uint64_t every_ns)
{
    Pprof__Profile message = PPROF__PROFILE__INIT;
    int error = write_types(encoder);

    for (size_t i = 0; i < group->count && error == 0; i++)
        error = write_row(encoder, &group->rows[i]);
    if (error < 0)
        return error;
    message.time_nanos = (int64_t)group->minute_s * NS_PER_S;
    message.duration_nanos = (int64_t)every_ns;
    error = pprof_writer_message(&encoder->writer, &message);
    return error < 0 ? error : push_places_write(&encoder->writer, &encoder->keys);
}

int minute_pprof_write(const struct export_rows *rows, const struct push_group *group,
                       const struct minute_profile *profile, uint64_t every_ns,
                       struct mapped_array *out)
{
    struct minute_encoder encoder = { .rows = rows, .profile = profile };

    out->count = 0;
    pprof_writer_init(&encoder.writer, json_sink_memory, out);
    unique_strings_init(&encoder.keys, &encoder.writer.latch);
    int error = write_all(&encoder, group, every_ns);
    unique_strings_fini(&encoder.keys);
    stack_path_free(&encoder.path);
    pprof_writer_fini(&encoder.writer);
    return error < 0 ? error : encoder.samples > 0;
}
