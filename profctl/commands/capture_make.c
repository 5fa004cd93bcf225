#include "profctl/commands/capture_make.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/document_print.h"
#include "json/progress.h"
#include "profctl/commands/progress_bar.h"
#include "profctl/naming/capture_naming.h"
#include "profctl/raw/raw_lists.h"
#include "profctl/units.h"

/* Gathering and naming take about the same time. */
static const double gathering_share = 0.5;

/* --- Progress --- */

static void show_gathering(const struct message_capture_progress *progress, void *context)
{
    double fraction = (double)progress->proportion / PROGRESS_SCALE;
    char what[PROGRESS_BAR_COLUMNS], size[UNITS_TEXT_BYTES];

    snprintf(what, sizeof(what), "%llu of %llu processes, %s",
             (unsigned long long)progress->children_done,
             (unsigned long long)progress->children_total,
             units_format_size(progress->bytes_written, size));
    progress_bar_show(context, fraction * gathering_share, what);
}

struct naming_progress {
    struct progress_bar *bar;
    uint64_t total_bytes;
};

static void show_naming(void *context, uint64_t bytes_read)
{
    const struct naming_progress *progress = context;
    double fraction =
        progress->total_bytes > 0 ? (double)bytes_read / (double)progress->total_bytes : 1;
    char what[PROGRESS_BAR_COLUMNS], size[UNITS_TEXT_BYTES];

    snprintf(what, sizeof(what), "naming functions, %s", units_format_size(bytes_read, size));
    progress_bar_show(progress->bar, gathering_share + fraction * (1 - gathering_share), what);
}

/* --- From raw to finished --- */

static uint64_t size_of(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static bool report_failure(const struct capture_file *file, int error, const char *problem,
                           struct failure *failure)
{
    if (problem[0] != '\0')
        failure_set(failure, EXIT_CODE_FAILED,
                    "profd's capture is damaged (%s); restart profd if its version differs",
                    problem);
    else
        failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s%s", capture_file_path(file),
                    strerror(-error),
                    error == -ENOSPC ? "; make room, or choose another place with -o" : "");
    return false;
}

/* The file as the place for the named capture. */
struct file_sink {
    struct capture_file *file;
    struct failure *failure;
};

static int write_file(void *context, const char *bytes, size_t count)
{
    const struct file_sink *sink = context;

    return capture_file_write(sink->file, bytes, count);
}

/* -ECANCELED: the failure is told. */
static int restart_file(void *context)
{
    const struct file_sink *sink = context;

    return capture_file_restart(sink->file, sink->failure) ? 0 : -ECANCELED;
}

static bool finish_capture(struct capture_file *file, const struct arguments *arguments,
                           struct progress_bar *bar, struct capture_summary *summary,
                           struct failure *failure)
{
    int raw_fd = capture_file_raw_fd(file);
    struct file_sink file_sink = { file, failure };
    struct naming_progress naming_progress = { bar, size_of(raw_fd) };
    const struct capture_sink sink = { write_file, restart_file, &file_sink };
    const struct capture_naming_progress progress = { show_naming, &naming_progress };
    struct symbol_cache *cache = NULL;
    char problem[CAPTURE_PROBLEM_BYTES] = "";
    int error = arguments->no_symbols ? 0 : symbol_cache_create(&cache);

    if (error == 0)
        error = capture_naming_run(raw_fd, &summary->result, cache, NULL, &sink, &progress,
                                   &summary->counts, problem);
    symbol_cache_free(cache);
    if (error == -ECANCELED)
        return false;
    if (error < 0)
        return report_failure(file, error, problem, failure);
    if (arguments->only_threads != NULL && summary->counts.processes == 0) {
        failure_set(failure, EXIT_CODE_FAILED,
                    "no thread matches --threads '%s'; nothing was written",
                    arguments->only_threads);
        return false;
    }
    return capture_file_commit(file, failure);
}

/* What profd wrote is the file, but for what generated code is called. */
static bool finish_raw(struct capture_file *file, struct capture_summary *summary,
                       struct failure *failure)
{
    char problem[RAW_ERROR_BYTES];
    int error = raw_lists_add(capture_file_raw_fd(file), problem);

    summary->counts.processes = summary->result.processes;
    return error < 0 ? report_failure(file, error, problem, failure)
                     : capture_file_commit(file, failure);
}

bool capture_make(struct client *client, struct capture_file *file,
                  const struct arguments *arguments, bool stop, struct capture_summary *summary,
                  struct failure *failure)
{
    const struct capture_wish wish = { .stop = stop,
                                       .timeout_ms = arguments->timeout_ms,
                                       .last_ms = arguments->last_ms,
                                       .is_raw = capture_file_is_raw(file),
                                       .pids = arguments->pids,
                                       .processes = arguments->processes,
                                       .threads = arguments->only_threads };
    struct progress_bar bar;
    bool made;

    progress_bar_init(&bar, arguments->quiet);
    made = (!wish.is_raw || capture_file_create(file, failure)) &&
           client_capture(client, capture_file_raw_fd(file), &wish, show_gathering, &bar,
                          &summary->result, failure) &&
           (wish.is_raw ? finish_raw(file, summary, failure)
                        : capture_file_create(file, failure) &&
                              finish_capture(file, arguments, &bar, summary, failure));
    progress_bar_clear(&bar);
    capture_result_free(&summary->result);
    return made;
}

/* --- Telling --- */

static void tell_json(const struct capture_file *file, const struct capture_summary *summary)
{
    cJSON *root = cJSON_CreateObject();
    char *text;

    cJSON_AddStringToObject(root, "file", capture_file_path(file));
    cJSON_AddNumberToObject(root, "processes", (double)summary->counts.processes);
    cJSON_AddNumberToObject(root, "threads", (double)summary->counts.threads);
    cJSON_AddNumberToObject(root, "samples", (double)summary->counts.samples);
    cJSON_AddNumberToObject(root, "markers", (double)summary->counts.markers);
    cJSON_AddNumberToObject(root, "named", (double)summary->counts.named);
    cJSON_AddNumberToObject(root, "unnamed", (double)summary->counts.unnamed);
    cJSON_AddBoolToObject(root, "complete", summary->result.missing[0] == '\0');
    cJSON_AddStringToObject(root, "missing", summary->result.missing);
    text = document_print(root);
    if (text != NULL)
        puts(text);
    free(text);
    cJSON_Delete(root);
}

static void tell_raw(const struct capture_file *file, const struct capture_summary *summary)
{
    char processes[UNITS_TEXT_BYTES];
    const char *path = capture_file_path(file);

    say("wrote %s (%s process%s, raw); profctl report, view and convert read it", path,
        units_format_count(summary->counts.processes, processes),
        summary->counts.processes == 1 ? "" : "es");
}

static void tell_text(const struct capture_file *file, const struct capture_summary *summary)
{
    char processes[UNITS_TEXT_BYTES], samples[UNITS_TEXT_BYTES];

    say("wrote %s (%s process%s, %s samples); open it at https://profiler.firefox.com",
        capture_file_path(file), units_format_count(summary->counts.processes, processes),
        summary->counts.processes == 1 ? "" : "es",
        units_format_count(summary->counts.samples, samples));
}

int capture_tell(const struct capture_file *file, const struct arguments *arguments,
                 const struct capture_summary *summary)
{
    bool complete = summary->result.missing[0] == '\0';

    if (arguments->json)
        tell_json(file, summary);
    else if (!arguments->quiet && capture_file_is_raw(file))
        tell_raw(file, summary);
    else if (!arguments->quiet)
        tell_text(file, summary);
    if (!complete)
        say("the capture is incomplete: %s", summary->result.missing);
    return complete || !arguments->strict ? EXIT_CODE_SUCCESS : EXIT_CODE_INCOMPLETE;
}
