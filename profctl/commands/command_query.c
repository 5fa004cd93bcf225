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

struct querying {
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

static bool refuse(struct querying *querying, const char *option, const char *text,
                   const char *expected)
{
    failure_set(querying->failure, EXIT_CODE_USAGE, "%s '%.64s' is not %s", option, text, expected);
    return false;
}

static bool read_times(struct querying *querying, struct query_slice *slice)
{
    static const char expected[] = "a time such as -1h, now, or 2026-01-31 14:00";
    const char *from = querying->arguments->from != NULL ? querying->arguments->from : "-1h";
    const char *to = querying->arguments->to != NULL ? querying->arguments->to : "now";
    uint32_t now_s = (uint32_t)time(NULL) + 1; /* what has begun in this second belongs to now */

    if (query_time_parse(from, now_s, &slice->from_s) < 0)
        return refuse(querying, "--from", from, expected);
    if (query_time_parse(to, now_s, &slice->to_s) < 0)
        return refuse(querying, "--to", to, expected);
    if (slice->from_s < slice->to_s)
        return true;
    failure_set(querying->failure, EXIT_CODE_USAGE, "--from must be before --to");
    return false;
}

static bool add_conditions(struct querying *querying, struct query_slice *slice, const char *own)
{
    const struct arguments *arguments = querying->arguments;
    int error = own != NULL ? query_slice_add(slice, own) : 0;

    if (error < 0)
        return refuse(querying, "--diff", own, "KEY=VALUE");
    if (arguments->service != NULL)
        error = query_slice_add_value(slice, "service", arguments->service);
    if (arguments->host != NULL && error == 0)
        error = query_slice_add_value(slice, "host", arguments->host);
    for (size_t i = 0; i < arguments->wheres.count && error == 0; i++) {
        error = query_slice_add(slice, arguments->wheres.texts[i]);
        if (error == -EINVAL)
            return refuse(querying, "--where", arguments->wheres.texts[i], "KEY=VALUE");
    }
    if (error < 0)
        failure_set(querying->failure, EXIT_CODE_USAGE, "too many conditions; use at most %d",
                    QUERY_MOST_CONDITIONS);
    return error == 0;
}

static bool add_side(struct querying *querying, const char *own)
{
    struct side *side = &querying->sides[querying->side_count++];

    side->slice.database = querying->url.database;
    side->slice.is_jank = querying->arguments->jank;
    side->fd = -1;
    snprintf(side->name, sizeof(side->name), "%s%s%s%.80s", querying->url.database,
             querying->arguments->jank ? ", jank" : "", own != NULL ? ", " : "",
             own != NULL ? own : "");
    return read_times(querying, &side->slice) && add_conditions(querying, &side->slice, own);
}

static bool read_arguments(struct querying *querying)
{
    const struct arguments *arguments = querying->arguments;
    char problem[CLICKHOUSE_PROBLEM_BYTES];
    bool is_diff = arguments->compared != NULL;

    if (clickhouse_url_parse(arguments->operands[0], &querying->url, problem) < 0) {
        failure_set(querying->failure, EXIT_CODE_USAGE, "cannot query that address: %s", problem);
        return false;
    }
    if (is_diff != (arguments->operand_count == SIDES) ||
        (is_diff && arguments->query_output != NULL)) {
        failure_set(querying->failure, EXIT_CODE_USAGE,
                    is_diff && arguments->query_output != NULL
                        ? "--diff is a report; leave -o out"
                        : "to compare two slices, use --diff KEY=VALUE URL KEY=VALUE");
        return false;
    }
    return add_side(querying, arguments->compared) &&
           (!is_diff || add_side(querying, arguments->operands[1]));
}

/* --- From the server --- */

/* What is under way. */
struct receiving {
    struct querying *querying;
    struct query_answer *answer;
    int (*take)(void *context, const char *bytes, size_t count);
};

static int on_bytes(void *context, const char *bytes, size_t count)
{
    struct receiving *receiving = context;

    return receiving->take(receiving->answer, bytes, count);
}

static void on_progress(void *context, uint64_t rows, uint64_t total_rows, uint64_t bytes)
{
    struct receiving *receiving = context;
    char text[PROGRESS_BAR_COLUMNS], size[UNITS_TEXT_BYTES], count[UNITS_TEXT_BYTES];

    snprintf(text, sizeof(text), "%s rows, %s", units_format_count(rows, count),
             units_format_size(bytes, size));
    progress_bar_show(&receiving->querying->bar,
                      total_rows > 0 ? (double)rows / (double)total_rows : 0, text);
}

static bool ask(struct querying *querying, struct query_answer *answer, const struct sql_text *sql,
                int (*take)(void *context, const char *bytes, size_t count))
{
    struct receiving receiving = { querying, answer, take };
    const struct clickhouse_request request = { .on_bytes = on_bytes,
                                                .on_progress = on_progress,
                                                .context = &receiving };
    struct clickhouse_answer server = { 0 };

    if (sql->error < 0) {
        failure_set(querying->failure, EXIT_CODE_FAILED, "out of memory");
        return false;
    }
    clickhouse_ask(querying->clickhouse, sql_text_get(sql), &request, &server);
    querying->read_rows += server.read_rows;
    querying->read_bytes += server.read_bytes;
    if (server.http.outcome == HTTP_DONE && query_answer_end(answer) == 0)
        return true;
    failure_set(querying->failure, EXIT_CODE_FAILED, "%s",
                server.http.outcome != HTTP_DONE ? server.http.text
                                                 : "the server's answer is cut short; ask again");
    return false;
}

static bool receive(struct querying *querying, const struct query_slice *slice,
                    struct query_answer *answer)
{
    struct sql_text sql = { 0 };

    query_slice_put_rows(slice, &sql);
    bool is_done = ask(querying, answer, &sql, query_answer_take_rows);
    sql_text_clear(&sql);
    query_slice_put_stacks(slice, &sql);
    is_done = is_done && ask(querying, answer, &sql, query_answer_take_stacks);
    sql_text_free(&sql);
    querying->summed_rows += answer->summed_rows;
    if (is_done && answer->rows.count == 0) {
        failure_set(querying->failure, EXIT_CODE_FAILED,
                    "no exported data matches; check --from, --service and --where");
        return false;
    }
    return is_done;
}

/* --- To a capture --- */

static bool make_capture(struct querying *querying, struct side *side,
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
        failure_set(querying->failure, EXIT_CODE_FAILED,
                    "cannot build a profile from the answer: %s", strerror(-error));
    return error == 0;
}

static bool query_side(struct querying *querying, struct side *side)
{
    struct query_answer answer;

    query_answer_init(&answer);
    bool is_done =
        receive(querying, &side->slice, &answer) && make_capture(querying, side, &answer);
    query_answer_fini(&answer);
    return is_done;
}

static bool query_all(struct querying *querying)
{
    enum http_outcome outcome;
    bool is_done = clickhouse_open(&querying->url, NULL, &querying->clickhouse, querying->failure);

    if (is_done)
        clickhouse_set_patience(querying->clickhouse, querying->arguments->server_timeout_ms != 0
                                                          ? querying->arguments->server_timeout_ms
                                                          : PATIENCE_MS);
    is_done = is_done &&
              clickhouse_schema_check(querying->clickhouse, false, &outcome, querying->failure);
    progress_bar_init(&querying->bar, querying->arguments->quiet);
    for (size_t i = 0; i < querying->side_count && is_done; i++)
        is_done = query_side(querying, &querying->sides[i]);
    progress_bar_clear(&querying->bar);
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

static int write_capture(struct querying *querying)
{
    const char *path = querying->arguments->query_output;
    struct capture_file *file;

    if (!capture_file_prepare(path, &file, querying->failure))
        return (int)querying->failure->code;
    bool is_done = capture_file_create(file, querying->failure);
    int error = is_done ? copy_capture(&querying->sides[0], file) : 0;
    if (error < 0)
        failure_set(querying->failure, EXIT_CODE_FAILED, "cannot write %s: %s", path,
                    strerror(-error));
    is_done = is_done && error == 0 && capture_file_commit(file, querying->failure);
    capture_file_close(file);
    if (is_done && !querying->arguments->quiet)
        say("wrote %s; open it at https://profiler.firefox.com", path);
    return is_done ? EXIT_CODE_SUCCESS : (int)querying->failure->code;
}

static int use(struct querying *querying)
{
    struct arguments arguments = *querying->arguments;
    char *operands[] = { querying->sides[querying->side_count - 1].path };

    arguments.operands = operands;
    arguments.operand_count = 1;
    arguments.before = querying->side_count == SIDES ? querying->sides[0].path : NULL;
    arguments.shown_before = querying->sides[0].name;
    arguments.shown = querying->sides[querying->side_count - 1].name;
    arguments.converted = arguments.query_output;
    if (arguments.query_output == NULL)
        return command_report(&arguments, querying->failure);
    return is_capture(arguments.query_output) ? write_capture(querying)
                                              : command_convert(&arguments, querying->failure);
}

/* Not every server tells what it has read. */
static void tell(const struct querying *querying)
{
    char summed[UNITS_TEXT_BYTES], rows[UNITS_TEXT_BYTES], size[UNITS_TEXT_BYTES];

    if (querying->arguments->quiet)
        return;
    units_format_count(querying->summed_rows, summed);
    if (querying->read_rows > 0)
        say("%s rows were summed up; the server read %s, %s", summed,
            units_format_count(querying->read_rows, rows),
            units_format_size(querying->read_bytes, size));
    else
        say("%s rows were summed up", summed);
}

int command_query(const struct arguments *arguments, struct failure *failure)
{
    struct querying querying = { .arguments = arguments, .failure = failure };
    int code = (int)EXIT_CODE_FAILED;

    bool is_done = read_arguments(&querying) && query_all(&querying);
    if (is_done) {
        tell(&querying);
        code = use(&querying);
    }
    for (size_t i = 0; i < querying.side_count; i++)
        if (querying.sides[i].fd >= 0)
            close(querying.sides[i].fd);
    clickhouse_close(querying.clickhouse);
    return is_done ? code : (int)failure->code;
}
