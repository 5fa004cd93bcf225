#include "profctl/push/push_requests.h"

#include "profctl/export/batch_add.h"
#include "profctl/push/push_otlp.h"
#include "profctl/push/push_series.h"

enum { BODY_BYTES = 1024 * 1024 };

/* A minute on its way. */
struct spooling {
    enum export_kind kind;
    const struct export_minute *minute;
    struct spool *spool;
    struct mapped_array body; /* char: of the request at hand, but for OTLP's */
    struct push_otlp otlp;
    uint64_t rows; /* of the request at hand */
    uint64_t all_rows;
};

static const char *name_of(enum export_kind kind)
{
    switch (kind) {
    case EXPORT_PYROSCOPE:
        return "profiles for Pyroscope";
    case EXPORT_PARCA:
        return "profiles for Parca";
    default:
        return "profiles for OTLP";
    }
}

/* What cannot be kept is counted by the spool. */
static void add_request(struct spooling *spooling, const struct mapped_array *body, int error)
{
    bool is_otlp = spooling->kind == EXPORT_OTLP;
    const struct batch_body packed = { body->items, body->count, error, name_of(spooling->kind),
                                       !is_otlp };
    struct export_batch batch = { .kind = spooling->kind,
                                  .id = batch_random_id(),
                                  .rows = spooling->rows,
                                  .first_minute_s = spooling->minute->first_s,
                                  .last_minute_s = spooling->minute->last_s };

    spooling->all_rows += batch.rows;
    spooling->rows = 0;
    (void)batch_add(&batch, &packed, spooling->spool); /* counted */
}

static void end_request(struct spooling *spooling, int error)
{
    if (spooling->kind == EXPORT_OTLP) {
        if (error == 0)
            error = push_otlp_finish(&spooling->otlp);
        add_request(spooling, &spooling->otlp.out, error);
        return;
    }
    add_request(spooling, &spooling->body, error);
    spooling->body.count = 0;
}

static int add_group(struct spooling *spooling, const struct push_group *group, size_t *bytes)
{
    const struct export_minute *minute = spooling->minute;
    enum export_kind kind = spooling->kind;
    int error;

    if (kind == EXPORT_OTLP)
        error = push_otlp_add(&spooling->otlp, group, minute->every_ns);
    else
        error = push_series_add(minute->rows, group, kind, minute->every_ns, &spooling->body);
    spooling->rows += group->count;
    *bytes = kind == EXPORT_OTLP ? push_otlp_bytes(&spooling->otlp) : spooling->body.count;
    return error;
}

static void add_groups(struct spooling *spooling)
{
    const struct export_rows *rows = spooling->minute->rows;
    struct push_groups groups = { 0 };
    struct push_group group;
    size_t next = 0, bytes = 0;
    int error = push_groups_make(&groups, rows);

    while (error == 0 && push_groups_next(&groups, rows, &next, &group)) {
        error = add_group(spooling, &group, &bytes);
        if (error == 0 && bytes >= BODY_BYTES) {
            end_request(spooling, 0);
            bytes = 0;
        }
    }
    if (error < 0)
        spooling->rows = sum_table_count(&rows->sums) - spooling->all_rows;
    if (error < 0 || bytes > 0)
        end_request(spooling, error);
    push_groups_free(&groups);
}

uint64_t push_requests_spool(enum export_kind kind, const struct export_minute *minute,
                             struct spool *spool)
{
    struct spooling spooling = { .kind = kind, .minute = minute, .spool = spool };
    int error = kind == EXPORT_OTLP ? push_otlp_init(&spooling.otlp, minute->rows) : 0;

    if (error == 0) {
        add_groups(&spooling);
    } else {
        spooling.rows = sum_table_count(&minute->rows->sums);
        add_request(&spooling, &spooling.body, error);
    }
    push_otlp_fini(&spooling.otlp);
    mapped_array_free(&spooling.body);
    return spooling.all_rows;
}
