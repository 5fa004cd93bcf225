/* query: what many hosts have exported, as a report or in any format. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"
#include "profctl/capture/capture_file.h"
#include "profctl/clickhouse/clickhouse_schema.h"
#include "profctl/commands/commands.h"
#include "profctl/commands/open_secrets.h"
#include "profctl/commands/progress_bar.h"
#include "profctl/query/query_answer.h"
#include "profctl/query/query_profile.h"
#include "profctl/query/query_slice.h"
#include "profctl/query/query_time.h"
#include "profctl/units.h"

enum { PATIENCE_MS = 120 * MS_PER_S, SIDES = 2, PATH_BYTES = 64, NAME_BYTES = 160 };

/* One slice, and what became of it. */
struct side {
    struct query_slice slice;
    int fd;                /* a capture in memory; -1: none */
    char path[PATH_BYTES]; /* to it … */
    char name[NAME_BYTES]; /* … and what reports call it */
};

struct query_run {
    const struct arguments *arguments;
    struct clickhouse_url url;
    struct clickhouse *clickhouse;
    struct progress_bar bar;
    uint64_t summed_rows;           /* of the tables, for all slices */
    uint64_t read_rows, read_bytes; /* by the server; 0: it does not tell */
    struct side sides[SIDES];
    size_t side_count;
    struct failure *failure;
};

/* --- What is asked for --- */

static bool refuse_value(struct query_run *run, const char *option, const char *text,
                         const char *expected)
{
    failure_set(run->failure, EXIT_CODE_USAGE, "%s '%.64s' is not %s", option, text, expected);
    return false;
}

static bool read_times(struct query_run *run, struct query_slice *slice)
{
    static const char expected[] = "a time such as -1h, now, or 2026-01-31 14:00";
    const char *from = run->arguments->from != NULL ? run->arguments->from : "-1h";
    const char *to = run->arguments->to != NULL ? run->arguments->to : "now";
    uint32_t now_s = (uint32_t)time(NULL) + 1; /* what has begun in this second belongs to now */

    if (query_time_parse(from, now_s, &slice->from_s) < 0)
        return refuse_value(run, "--from", from, expected);
    if (query_time_parse(to, now_s, &slice->to_s) < 0)
        return refuse_value(run, "--to", to, expected);
    if (slice->from_s < slice->to_s)
        return true;
    failure_set(run->failure, EXIT_CODE_USAGE, "--from must be before --to");
    return false;
}

static bool add_conditions(struct query_run *run, struct query_slice *slice, const char *own)
{
    const struct arguments *arguments = run->arguments;
    int error = own != NULL ? query_slice_add(slice, own) : 0;

    if (error < 0)
        return refuse_value(run, "--diff", own, "KEY=VALUE");
    if (arguments->service != NULL)
        error = query_slice_add_value(slice, "service", arguments->service);
    if (arguments->host != NULL && error == 0)
        error = query_slice_add_value(slice, "host", arguments->host);
    for (size_t i = 0; i < arguments->wheres.count && error == 0; i++) {
        error = query_slice_add(slice, arguments->wheres.texts[i]);
        if (error == -EINVAL)
            return refuse_value(run, "--where", arguments->wheres.texts[i], "KEY=VALUE");
    }
    if (error < 0)
        failure_set(run->failure, EXIT_CODE_USAGE, "too many conditions; use at most %d",
                    QUERY_MAX_CONDITIONS);
    return error == 0;
}

static bool add_side(struct query_run *run, const char *own)
{
    struct side *side = &run->sides[run->side_count++];

    side->slice.database = run->url.database;
    side->slice.is_jank = run->arguments->jank;
    side->fd = -1;
    snprintf(side->name, sizeof(side->name), "%s%s%s%.80s", run->url.database,
             run->arguments->jank ? ", jank" : "", own != NULL ? ", " : "", own != NULL ? own : "");
    return read_times(run, &side->slice) && add_conditions(run, &side->slice, own);
}

static bool read_arguments(struct query_run *run)
{
    const struct arguments *arguments = run->arguments;
    char problem[CLICKHOUSE_PROBLEM_BYTES];
    bool is_diff = arguments->compared != NULL;

    if (clickhouse_url_parse(arguments->operands[0], &run->url, problem) < 0) {
        failure_set(run->failure, EXIT_CODE_USAGE, "cannot query that address: %s", problem);
        return false;
    }
    if (is_diff != (arguments->operand_count == SIDES) ||
        (is_diff && arguments->query_output != NULL)) {
        failure_set(run->failure, EXIT_CODE_USAGE,
                    is_diff && arguments->query_output != NULL
                        ? "--diff is a report; omit -o"
                        : "to compare two slices, use --diff KEY=VALUE URL KEY=VALUE");
        return false;
    }
    return add_side(run, arguments->compared) &&
           (!is_diff || add_side(run, arguments->operands[1]));
}

/* --- From the server --- */

/* What is under way. */
struct answer_receiver {
    struct query_run *run;
    struct query_answer *answer;
    int (*take)(void *context, const char *bytes, size_t count);
};

static int on_bytes(void *context, const char *bytes, size_t count)
{
    struct answer_receiver *receiver = context;

    return receiver->take(receiver->answer, bytes, count);
}

static void on_progress(void *context, uint64_t rows, uint64_t total_rows, uint64_t bytes)
{
    struct answer_receiver *receiver = context;
    char text[PROGRESS_BAR_COLUMNS], size[UNITS_TEXT_BYTES], count[UNITS_TEXT_BYTES];

    snprintf(text, sizeof(text), "%s rows, %s", units_format_count(rows, count),
             units_format_size(bytes, size));
    progress_bar_show(&receiver->run->bar, total_rows > 0 ? (double)rows / (double)total_rows : 0,
                      text);
}

static bool ask_server(struct query_run *run, struct query_answer *answer,
                       const struct sql_text *sql,
                       int (*take)(void *context, const char *bytes, size_t count))
{
    struct answer_receiver receiver = { run, answer, take };
    const struct clickhouse_request request = { .on_bytes = on_bytes,
                                                .on_progress = on_progress,
                                                .context = &receiver };
    struct clickhouse_answer server = { 0 };

    if (sql->error < 0) {
        failure_set(run->failure, EXIT_CODE_FAILED, "out of memory");
        return false;
    }
    clickhouse_ask(run->clickhouse, sql_text_get(sql), &request, &server);
    run->read_rows += server.read_rows;
    run->read_bytes += server.read_bytes;
    if (server.http.outcome == HTTP_DONE && query_answer_end(answer) == 0)
        return true;
    failure_set(run->failure, EXIT_CODE_FAILED, "%s",
                server.http.outcome != HTTP_DONE ? server.http.text
                                                 : "the server's answer is cut short; ask again");
    return false;
}

static bool receive_answer(struct query_run *run, const struct query_slice *slice,
                           struct query_answer *answer)
{
    struct sql_text sql = { 0 };

    query_slice_put_rows(slice, &sql);
    bool is_done = ask_server(run, answer, &sql, query_answer_take_rows);
    sql_text_clear(&sql);
    query_slice_put_stacks(slice, &sql);
    is_done = is_done && ask_server(run, answer, &sql, query_answer_take_stacks);
    sql_text_free(&sql);
    run->summed_rows += answer->summed_rows;
    if (is_done && answer->rows.count == 0) {
        failure_set(run->failure, EXIT_CODE_FAILED,
                    "no exported data matches; check --from, --service and --where");
        return false;
    }
    return is_done;
}

/* --- To a capture --- */

static bool make_capture(struct query_run *run, struct side *side,
                         const struct query_answer *answer)
{
    side->fd = memfd_create("profctl-query", MFD_CLOEXEC);
    int error = side->fd < 0 ? -errno
                             : query_profile_write(answer, side->slice.from_s, side->slice.to_s,
                                                   json_sink_fd, &side->fd);

    if (error == 0 && lseek(side->fd, 0, SEEK_SET) < 0)
        error = -errno;
    snprintf(side->path, sizeof(side->path), "/proc/self/fd/%d", side->fd);
    if (error < 0)
        failure_set(run->failure, EXIT_CODE_FAILED, "cannot build a profile from the answer: %s",
                    strerror(-error));
    return error == 0;
}

static bool query_side(struct query_run *run, struct side *side)
{
    struct query_answer answer;

    query_answer_init(&answer);
    bool is_done = receive_answer(run, &side->slice, &answer) && make_capture(run, side, &answer);
    query_answer_fini(&answer);
    return is_done;
}

static bool query_all(struct query_run *run)
{
    enum http_outcome outcome;
    bool is_done = clickhouse_open(&run->url, NULL, &run->clickhouse, run->failure);

    if (is_done) {
        open_secrets_tell_password(&run->url);
        clickhouse_set_patience(run->clickhouse, run->arguments->server_timeout_ms != 0
                                                     ? run->arguments->server_timeout_ms
                                                     : PATIENCE_MS);
    }
    is_done = is_done && clickhouse_schema_check(run->clickhouse, false, &outcome, run->failure);
    progress_bar_init(&run->bar, run->arguments->quiet);
    for (size_t i = 0; i < run->side_count && is_done; i++)
        is_done = query_side(run, &run->sides[i]);
    progress_bar_clear(&run->bar);
    return is_done;
}

/* --- To a report or a file --- */

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), count = strlen(ending);

    return length > count && strcmp(path + length - count, ending) == 0;
}

/* "out.speedscope.json" is another format, "out.json" is a capture. */
static bool is_capture(const char *path)
{
    static const char *const others[] = { ".speedscope.json", ".trace.json", ".processed.json" };
    char plain[PATH_MAX];
    size_t length = strlen(path) - (has_ending(path, ".gz") ? strlen(".gz") : 0);

    snprintf(plain, sizeof(plain), "%.*s", (int)length, path);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (has_ending(plain, others[i]))
            return false;
    return has_ending(plain, ".json");
}

static int copy_capture(const struct side *side, struct capture_file *file)
{
    char bytes[64 * 1024];
    ssize_t count;
    int error = 0;

    while (error == 0 && (count = read(side->fd, bytes, sizeof(bytes))) != 0)
        error = count < 0 ? -errno : capture_file_write(file, bytes, (size_t)count);
    return error;
}

static int write_capture(struct query_run *run)
{
    const char *path = run->arguments->query_output;
    struct capture_file *file;

    if (!capture_file_prepare(path, &file, run->failure))
        return (int)run->failure->code;
    bool is_done = capture_file_create(file, run->failure);
    int error = is_done ? copy_capture(&run->sides[0], file) : 0;
    if (error < 0)
        failure_set(run->failure, EXIT_CODE_FAILED, "cannot write %s: %s", path, strerror(-error));
    is_done = is_done && error == 0 && capture_file_commit(file, run->failure);
    capture_file_close(file);
    if (is_done && !run->arguments->quiet)
        say("wrote %s; open it at https://profiler.firefox.com", path);
    return is_done ? EXIT_CODE_SUCCESS : (int)run->failure->code;
}

static int use_captures(struct query_run *run)
{
    struct arguments arguments = *run->arguments;
    char *operands[] = { run->sides[run->side_count - 1].path };

    arguments.operands = operands;
    arguments.operand_count = 1;
    arguments.before = run->side_count == SIDES ? run->sides[0].path : NULL;
    arguments.shown_before = run->sides[0].name;
    arguments.shown = run->sides[run->side_count - 1].name;
    arguments.converted = arguments.query_output;
    if (arguments.query_output == NULL)
        return command_report(&arguments, run->failure);
    return is_capture(arguments.query_output) ? write_capture(run)
                                              : command_convert(&arguments, run->failure);
}

/* Not every server tells what it has read. */
static void report_reading(const struct query_run *run)
{
    char summed[UNITS_TEXT_BYTES], rows[UNITS_TEXT_BYTES], size[UNITS_TEXT_BYTES];

    if (run->arguments->quiet)
        return;
    units_format_count(run->summed_rows, summed);
    if (run->read_rows > 0)
        say("%s rows were summed up; the server read %s, %s", summed,
            units_format_count(run->read_rows, rows), units_format_size(run->read_bytes, size));
    else
        say("%s rows were summed up", summed);
}

int command_query(const struct arguments *arguments, struct failure *failure)
{
    struct query_run run = { .arguments = arguments, .failure = failure };
    int code = (int)EXIT_CODE_FAILED;

    bool is_done = read_arguments(&run) && query_all(&run);
    if (is_done) {
        report_reading(&run);
        code = use_captures(&run);
    }
    for (size_t i = 0; i < run.side_count; i++)
        if (run.sides[i].fd >= 0)
            close(run.sides[i].fd);
    clickhouse_close(run.clickhouse);
    return is_done ? code : (int)failure->code;
}
