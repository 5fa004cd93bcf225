#include "profctl/push/push_requests.h"

#include "profctl/export/batch_add.h"
#include "profctl/push/push_otlp.h"
#include "profctl/push/push_series.h"

enum { BODY_BYTES = 1024 * 1024 };

/* A minute on its way. */
struct spool_pass {
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
static void add_request(struct spool_pass *pass, const struct mapped_array *body, int error)
{
    bool is_otlp = pass->kind == EXPORT_OTLP;
    const struct batch_body packed = { body->items, body->count, error, name_of(pass->kind),
                                       !is_otlp };
    struct export_batch batch = { .kind = pass->kind,
                                  .id = batch_random_id(),
                                  .rows = pass->rows,
                                  .first_minute_s = pass->minute->first_s,
                                  .last_minute_s = pass->minute->last_s };

    pass->all_rows += batch.rows;
    pass->rows = 0;
    (void)batch_add(&batch, &packed, pass->spool); /* counted */
}

static void end_request(struct spool_pass *pass, int error)
{
    if (pass->kind == EXPORT_OTLP) {
        if (error == 0)
            error = push_otlp_finish(&pass->otlp);
        add_request(pass, &pass->otlp.out, error);
        return;
    }
    add_request(pass, &pass->body, error);
    pass->body.count = 0;
}

static int add_group(struct spool_pass *pass, const struct push_group *group, size_t *bytes)
{
    const struct export_minute *minute = pass->minute;
    enum export_kind kind = pass->kind;
    int error;

    if (kind == EXPORT_OTLP)
        error = push_otlp_add(&pass->otlp, group, minute->every_ns);
    else
        error = push_series_add(minute->rows, group, kind, minute->every_ns, &pass->body);
    pass->rows += group->count;
    *bytes = kind == EXPORT_OTLP ? push_otlp_bytes(&pass->otlp) : pass->body.count;
    return error;
}

static void add_groups(struct spool_pass *pass)
{
    const struct export_rows *rows = pass->minute->rows;
    struct push_groups groups = { 0 };
    struct push_group group;
    size_t next = 0, bytes = 0;
    int error = push_groups_make(&groups, rows);

    while (error == 0 && push_groups_next(&groups, rows, &next, &group)) {
        error = add_group(pass, &group, &bytes);
        if (error == 0 && bytes >= BODY_BYTES) {
            end_request(pass, 0);
            bytes = 0;
        }
    }
    if (error < 0)
        pass->rows = sum_table_count(&rows->sums) - pass->all_rows;
    if (error < 0 || bytes > 0)
        end_request(pass, error);
    push_groups_free(&groups);
}

uint64_t push_requests_spool(enum export_kind kind, const struct export_minute *minute,
                             struct spool *spool)
{
    struct spool_pass pass = { .kind = kind, .minute = minute, .spool = spool };
    int error = kind == EXPORT_OTLP ? push_otlp_init(&pass.otlp, minute->rows) : 0;

    if (error == 0) {
        add_groups(&pass);
    } else {
        pass.rows = sum_table_count(&minute->rows->sums);
        add_request(&pass, &pass.body, error);
    }
    push_otlp_fini(&pass.otlp);
    mapped_array_free(&pass.body);
    return pass.all_rows;
}
