#include "profctl/export/exporter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"
#include "profctl/client/client.h"
#include "profctl/export/batch_add.h"
#include "profctl/export/profile_reference.h"
#include "profctl/export/profile_rows.h"
#include "profctl/naming/capture_naming.h"

enum { FORGET_MINUTES = 60 };

/* A range on its way. */
struct export_pass {
    struct exporter *exporter;
    const struct export_range *range;
    int64_t unix_offset_ns;
    uint32_t first_minute_s, last_minute_s;
    int raw_fd, named_fd;
    struct export_rows rows;
    struct profile_rows_told told;
    struct failure *failure;
};

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

struct export_clocks exporter_clocks(const struct exporter *exporter)
{
    return (struct export_clocks){ .monotonic_ns = read_clock(CLOCK_MONOTONIC),
                                   .unix_ns = (int64_t)read_clock(CLOCK_REALTIME) +
                                              exporter->clock_offset_s * NS_PER_S };
}

/* --- From profd to rows --- */

static bool set_pass_failure(struct export_pass *pass, const char *what, int error)
{
    failure_set(pass->failure, EXIT_CODE_FAILED, "cannot %s: %s", what, strerror(-error));
    return false;
}

static int restart_named(void *context)
{
    const int *named_fd = context;

    return ftruncate(*named_fd, 0) < 0 || lseek(*named_fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

/* The capture with names, in the named file. */
static bool capture_range(struct export_pass *pass)
{
    struct exporter *exporter = pass->exporter;
    const struct capture_wish wish = { .timeout_ms = exporter->timeout_ms,
                                       .last_ms = pass->range->ask_last_ms };
    const struct capture_sink sink = { json_sink_fd, restart_named, &pass->named_fd };
    struct capture_counts counts = { 0 };
    struct capture_result result;
    char problem[CAPTURE_PROBLEM_BYTES] = "";
    struct client *client;

    if (!client_connect(exporter->socket, &client, pass->failure))
        return false;
    bool is_done = client_capture(client, pass->raw_fd, &wish, NULL, NULL, &result, pass->failure);
    client_close(client);
    if (!is_done)
        return false;
    int error = capture_naming_run(pass->raw_fd, &result, exporter->symbols, NULL, &sink, NULL,
                                   &counts, problem);
    snprintf(exporter->health.missing, sizeof(exporter->health.missing), "%.*s",
             (int)sizeof(exporter->health.missing) - 1, result.missing);
    exporter->health.unnamed_addresses = counts.unnamed;
    capture_result_free(&result);
    if (error < 0 && problem[0] != '\0')
        failure_set(pass->failure, EXIT_CODE_FAILED, "profd's capture is damaged (%s)", problem);
    else if (error < 0)
        (void)set_pass_failure(pass, "name the functions of a capture", error);
    return error == 0;
}

/* Reads the named file from its beginning. */
static int open_named(const struct export_pass *pass, struct json_reader **reader)
{
    if (lseek(pass->named_fd, 0, SEEK_SET) < 0)
        return -errno;
    return json_reader_open_fd(pass->named_fd, reader);
}

static int read_reference(const struct export_pass *pass, int64_t *reference_ns)
{
    struct json_reader *reader = NULL;
    int error = open_named(pass, &reader);

    if (error < 0)
        return error;
    error = profile_reference_read(reader, reference_ns);
    json_reader_close(reader);
    return error;
}

static bool read_rows(struct export_pass *pass)
{
    struct profile_rows_options options = {
        .from_ns = pass->range->from_ns,
        .to_ns = pass->range->to_ns,
        .unix_offset_ns = pass->unix_offset_ns,
        .minute_ns = pass->exporter->every_ns,
        .describe = source_labels_describe,
        .context = &pass->exporter->source,
        .rests = &pass->exporter->rests,
        .losses = &pass->exporter->losses,
    };
    struct json_reader *reader = NULL;
    int error = read_reference(pass, &options.reference_ns);

    source_labels_forget(&pass->exporter->source);
    if (error == 0)
        error = open_named(pass, &reader);
    if (error < 0)
        return set_pass_failure(pass, "read a capture", error);
    error = profile_rows_read(reader, &options, &pass->rows, &pass->told);
    json_reader_close(reader);
    return error == 0 || set_pass_failure(pass, "read a capture", error);
}

/* --- Health --- */

/* How much COUNT has grown since it was last told. */
static uint64_t count_growth(uint64_t count, uint64_t *told)
{
    uint64_t grown = count > *told ? count - *told : 0;

    *told = count;
    return grown;
}

/* Of batches that did not arrive, and of some that did in part. */
static uint64_t lost_rows(const struct exporter *exporter)
{
    const struct export_target *target = &exporter->target;

    return spool_losses(exporter->spool)->rows +
           (target->lost_rows != NULL ? target->lost_rows(target->owner) : 0);
}

static void fill_health(struct export_pass *pass)
{
    struct exporter *exporter = pass->exporter;
    struct export_health *health = &exporter->health;
    const struct spool_losses *losses = spool_losses(exporter->spool);

    health->minute_s = pass->first_minute_s;
    health->covered_ms = (pass->range->to_ns - pass->range->from_ns) / NS_PER_MS;
    health->cpu_ns = pass->told.cpu_ns;
    health->samples = pass->told.samples;
    health->spooled_bytes = spool_bytes(exporter->spool);
    health->lost_rows = count_growth(lost_rows(exporter), &exporter->told_lost_rows);
    health->lost_batches = count_growth(losses->batches, &exporter->told_lost_batches);
    health->torn_batches = count_growth(losses->torn, &exporter->told_torn);
    health->folded_labels = count_growth(exporter->source.bounds.folded, &exporter->told_folded);
    health->left_out_labels = count_growth(exporter->source.left_out, &exporter->told_left_out);
    if (exporter->target.unsure_batches != NULL)
        health->unsure_batches = count_growth(
            exporter->target.unsure_batches(exporter->target.owner), &exporter->told_unsure);
    health->lost_blocks = pass->told.lost_blocks;
    health->export_cpu_ns =
        count_growth(read_clock(CLOCK_PROCESS_CPUTIME_ID), &exporter->told_cpu_ns);
    health->lost_ms = pass->range->lost_ms;
    health->clock_offset_s = exporter->clock_offset_s;
}

static uint64_t count_dropped(struct exporter *exporter)
{
    const struct export_target *target = &exporter->target;

    return target->dropped_profiles == NULL
               ? 0
               : count_growth(target->dropped_profiles(target->owner), &exporter->told_dropped);
}

/* Why a server or a disk did not take a batch was told when it happened. */
static void tell_losses(struct exporter *exporter)
{
    const struct export_health *health = &exporter->health;
    uint64_t crowded_out =
        count_growth(spool_losses(exporter->spool)->crowded_out, &exporter->told_crowded_out);
    uint64_t dropped = count_dropped(exporter);

    if (health->lost_batches > 0)
        say("lost %llu rows in %llu batches%s", (unsigned long long)health->lost_rows,
            (unsigned long long)health->lost_batches,
            crowded_out > 0 ? ": the spool was full; see --spool-limit" : "");
    if (dropped > 0)
        say("lost %llu profiles of batches that the server took", (unsigned long long)dropped);
    if (health->torn_batches > 0)
        say("lost %llu damaged batches of the spool", (unsigned long long)health->torn_batches);
    if (health->left_out_labels > 0 && !exporter->has_told_left_out)
        say("left out %llu labels of processes: a process can have 16 in all, and PROFD_LABELS "
            "1023 bytes of KEY=VALUE",
            (unsigned long long)health->left_out_labels);
    exporter->has_told_left_out |= health->left_out_labels > 0;
    if (health->lost_ms > 0)
        say("lost %llu s of recordings: profd was asked too late, or did not answer",
            (unsigned long long)health->lost_ms / 1000);
}

/* --- A range --- */

static void spool_all(struct export_pass *pass)
{
    struct exporter *exporter = pass->exporter;
    const struct export_target *target = &exporter->target;
    const struct export_minute minute = {
        .rows = &pass->rows,
        .health = &exporter->health,
        .host = exporter->source.host,
        .first_s = pass->first_minute_s,
        .last_s = pass->last_minute_s,
        .from_ns = (uint64_t)((int64_t)pass->range->from_ns + pass->unix_offset_ns),
        .duration_ns = pass->range->to_ns - pass->range->from_ns,
        .every_ns = exporter->every_ns,
    };
    struct export_counts counts = target->spool(target->owner, &minute, exporter->spool);

    exporter->health.rows = counts.rows;
    exporter->health.new_stacks = counts.new_stacks;
    fill_health(pass);
    tell_losses(exporter);
    if (target->spool_health != NULL)
        target->spool_health(target->owner, &minute, exporter->spool);
}

/* Values that were common an hour ago may be gone. */
static void forget_hourly(struct exporter *exporter, const struct export_pass *pass)
{
    if (pass->first_minute_s / (uint32_t)(FORGET_MINUTES * 60) !=
            pass->last_minute_s / (uint32_t)(FORGET_MINUTES * 60) ||
        pass->first_minute_s % (uint32_t)(FORGET_MINUTES * 60) == 0)
        label_bounds_forget(&exporter->source.bounds);
}

static uint32_t minute_of(const struct export_pass *pass, uint64_t monotonic_ns)
{
    int64_t unix_ns = (int64_t)monotonic_ns + pass->unix_offset_ns;

    return (uint32_t)((unix_ns - unix_ns % (int64_t)pass->exporter->every_ns) / NS_PER_S);
}

bool exporter_take(struct exporter *exporter, const struct export_range *range,
                   struct failure *failure)
{
    struct export_clocks now = exporter_clocks(exporter);
    struct export_pass pass = { .exporter = exporter,
                                .range = range,
                                .unix_offset_ns = now.unix_ns - (int64_t)now.monotonic_ns,
                                .raw_fd = memfd_create("profctl-export-raw", MFD_CLOEXEC),
                                .named_fd = memfd_create("profctl-export", MFD_CLOEXEC),
                                .failure = failure };
    bool is_done = false;

    pass.first_minute_s = minute_of(&pass, range->from_ns);
    pass.last_minute_s = minute_of(&pass, range->to_ns - 1);
    export_rows_init(&pass.rows);
    pass.rows.files.are_wanted = exporter->target.wants_files;
    forget_hourly(exporter, &pass);
    if (pass.raw_fd < 0 || pass.named_fd < 0)
        (void)set_pass_failure(&pass, "make room for a capture", -errno);
    else
        is_done = capture_range(&pass) && read_rows(&pass);
    if (is_done) {
        coverage_begin(&exporter->coverage, exporter->covered_ns);
        spool_all(&pass);
        process_rests_keep(&exporter->rests);
        lost_blocks_keep(&exporter->losses);
        exporter->covered_ns = range->to_ns;
        coverage_end(&exporter->coverage, exporter->covered_ns);
    }
    export_rows_fini(&pass.rows);
    if (pass.raw_fd >= 0)
        close(pass.raw_fd);
    if (pass.named_fd >= 0)
        close(pass.named_fd);
    return is_done;
}

/* --- Life cycle --- */

int exporter_init(struct exporter *exporter, const char *socket, const struct label_list *labels,
                  uint64_t every_ns, uint64_t timeout_ms, struct spool *spool)
{
    *exporter = (struct exporter){ .socket = socket,
                                   .every_ns = every_ns,
                                   .timeout_ms = timeout_ms,
                                   .spool = spool,
                                   .health = { .exporter = batch_random_id() } };
    exporter->covered_ns = coverage_resume(&exporter->coverage, spool, read_clock(CLOCK_MONOTONIC));
    source_labels_init(&exporter->source, labels);
    return symbol_cache_create(&exporter->symbols);
}

void exporter_fini(struct exporter *exporter)
{
    source_labels_fini(&exporter->source);
    process_rests_free(&exporter->rests);
    lost_blocks_free(&exporter->losses);
    symbol_cache_free(exporter->symbols);
}
