#include "profctl/push/push_series.h"

#include "profctl/export/gzip_bytes.h"
#include "profctl/push/minute_pprof.h"
#include "profctl/push/packed_message.h"
#include "profctl/push/push_labels.h"

static int append_to_pyroscope(struct push_labels *labels, Push__Sample *sample,
                               struct mapped_array *body)
{
    Push__PyroscopeSeries series = PUSH__PYROSCOPE_SERIES__INIT, *all[] = { &series };
    Push__PyroscopeRequest request = PUSH__PYROSCOPE_REQUEST__INIT;
    Push__Sample *samples[] = { sample };

    series.n_labels = labels->count;
    series.labels = labels->list;
    series.n_samples = 1;
    series.samples = samples;
    request.n_series = 1;
    request.series = all;
    return packed_message_append(body, &request.base);
}

static int append_to_parca(struct push_labels *labels, Push__Sample *sample,
                           struct mapped_array *body)
{
    Push__LabelSet set = PUSH__LABEL_SET__INIT;
    Push__ParcaSeries series = PUSH__PARCA_SERIES__INIT, *all[] = { &series };
    Push__ParcaRequest request = PUSH__PARCA_REQUEST__INIT;
    Push__Sample *samples[] = { sample };

    set.n_labels = labels->count;
    set.labels = labels->list;
    series.labels = &set;
    series.n_samples = 1;
    series.samples = samples;
    request.n_series = 1;
    request.series = all;
    return packed_message_append(body, &request.base);
}

static int append_profile(const struct push_source *source, const char *name, enum export_kind kind,
                          const struct mapped_array *packed, struct mapped_array *body)
{
    struct push_labels labels;
    Push__Sample sample = PUSH__SAMPLE__INIT;

    push_labels_make(&labels, source, name);
    sample.raw_profile = (ProtobufCBinaryData){ packed->count, packed->items };
    return kind == EXPORT_PARCA ? append_to_parca(&labels, &sample, body)
                                : append_to_pyroscope(&labels, &sample, body);
}

int push_series_add(const struct export_rows *rows, const struct push_group *group,
                    enum export_kind kind, uint64_t every_ns, struct mapped_array *body)
{
    struct mapped_array pprof = { 0 }, packed = { 0 };
    int error = 0;

    for (size_t i = 0; i < MINUTE_PROFILES && error >= 0; i++) {
        error = minute_pprof_write(rows, group, &minute_profiles[i], every_ns, &pprof);
        if (error <= 0)
            continue;
        error = gzip_bytes(pprof.items, pprof.count, &packed);
        if (error == 0)
            error = append_profile(&group->source, minute_profiles[i].name, kind, &packed, body);
    }
    mapped_array_free(&pprof);
    mapped_array_free(&packed);
    return error < 0 ? error : 0;
}
