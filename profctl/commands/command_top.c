/* top: the processes and their hottest functions in the last seconds, or the tree of their calls,
 * once or again and again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profctl/client/client.h"
#include "profctl/commands/commands.h"
#include "profctl/naming/capture_naming.h"
#include "profctl/report/cost_table.h"
#include "profctl/report/top_table.h"
#include "profctl/report/tree_report.h"

enum { USUAL_LAST_MS = 2000, REFRESH_SECONDS = 2 };

/* What stays from one picture to the next. */
struct top {
    const struct arguments *arguments;
    struct client *client;
    struct symbol_cache *cache;
    uint64_t last_ms;
    enum cost_order order;
};

static int restart_named(void *context)
{
    const int *named_fd = context;

    return ftruncate(*named_fd, 0) < 0 || lseek(*named_fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static void clear_screen(const struct top *top)
{
    if (!top->arguments->once && !top->arguments->json && isatty(STDOUT_FILENO))
        fputs("\033[H\033[J", stdout);
}

/* --- One picture --- */

static int print_functions(const struct top *top, struct report *report)
{
    struct report table;
    int error = top_table_make(report, &table);

    if (error == 0)
        top_table_print(&table, top->last_ms, top->arguments->top, stdout);
    report_free(&table);
    return error;
}

static int show_functions(const struct top *top, struct json_reader *reader)
{
    struct report report;
    int error = report_read(reader, top->arguments->all, &report);

    if (error == 0)
        report_sort(&report);
    if (error == 0 && top->arguments->json)
        error = report_print_json(&report, "top", top->arguments->top, stdout);
    else if (error == 0)
        error = print_functions(top, &report);
    report_free(&report);
    return error;
}

static int show_processes(const struct top *top, struct json_reader *reader)
{
    struct cost_table table;
    int error = cost_table_read(reader, REPORT_BY_PROCESS, &table);

    if (error == 0) {
        cost_table_sort(&table, top->order);
        cost_table_print_rows(&table, top->arguments->top, stdout);
        putchar('\n');
    }
    cost_table_free(&table);
    return error;
}

static int show_tree(const struct top *top, struct json_reader *reader)
{
    struct tree_report report;
    int error = tree_report_read(reader, TREE_CALLEES, false, &report);

    if (error == 0 && top->arguments->json)
        error = tree_report_print_json(&report, "top", stdout);
    else if (error == 0)
        tree_report_print_text(&report, "top", top->arguments->top, stdout);
    tree_report_free(&report);
    return error;
}

/* Reads the capture once more, for one part of the picture. */
static int show_part(const struct top *top, int named_fd,
                     int (*part)(const struct top *top, struct json_reader *reader))
{
    struct json_reader *reader = NULL;
    int error = lseek(named_fd, 0, SEEK_SET) < 0 ? -errno : json_reader_open_fd(named_fd, &reader);

    if (error == 0)
        error = part(top, reader);
    if (reader != NULL)
        json_reader_close(reader);
    return error;
}

static int read_and_print(const struct top *top, int named_fd)
{
    int error = 0;

    clear_screen(top);
    if (top->arguments->tree)
        return show_part(top, named_fd, show_tree);
    if (!top->arguments->json)
        error = show_part(top, named_fd, show_processes);
    return error < 0 ? error : show_part(top, named_fd, show_functions);
}

/* --- Captures --- */

static bool show_hottest(const struct top *top, int raw_fd, int named_fd, struct failure *failure)
{
    const struct capture_wish wish = { .timeout_ms = top->arguments->timeout_ms,
                                       .last_ms = top->last_ms,
                                       .pids = top->arguments->pids,
                                       .processes = top->arguments->processes };
    const struct capture_sink sink = { json_sink_fd, restart_named, &named_fd };
    struct capture_counts counts;
    struct capture_result result;
    char problem[CAPTURE_PROBLEM_BYTES];

    if (!client_capture(top->client, raw_fd, &wish, NULL, NULL, &result, failure))
        return false;
    int error =
        capture_naming_run(raw_fd, &result, top->cache, NULL, &sink, NULL, &counts, problem);
    capture_result_free(&result);
    if (error == 0)
        error = read_and_print(top, named_fd);
    if (error == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        error = errno != 0 ? -errno : -EIO;
    if (error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot show the hottest functions: %s",
                    problem[0] != '\0' ? problem : strerror(-error));
    return error == 0;
}

static bool show_next(const struct top *top, struct failure *failure)
{
    int raw_fd = memfd_create("profctl-top-raw", MFD_CLOEXEC);
    int named_fd = memfd_create("profctl-top", MFD_CLOEXEC);
    bool is_shown = false;

    if (raw_fd < 0 || named_fd < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot make room for a capture: %s",
                    strerror(errno));
    else
        is_shown = show_hottest(top, raw_fd, named_fd, failure);
    if (raw_fd >= 0)
        close(raw_fd);
    if (named_fd >= 0)
        close(named_fd);
    return is_shown;
}

static bool show_all(struct top *top, struct failure *failure)
{
    bool goes_on = show_next(top, failure);

    while (goes_on && !top->arguments->once) {
        sleep(REFRESH_SECONDS);
        goes_on = show_next(top, failure);
    }
    return goes_on;
}

static bool choose_order(const char *name, enum cost_order *order, struct failure *failure)
{
    static const char *const names[] = { "cpu", "samples", "name", "pid" };

    *order = COST_BY_CPU;
    if (name == NULL)
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        *order = (enum cost_order)i;
        if (strcmp(names[i], name) == 0)
            return true;
    }
    failure_set(failure, EXIT_CODE_USAGE, "--sort '%.64s' is not one of cpu, samples, name and pid",
                name);
    return false;
}

int command_top(const struct arguments *arguments, struct failure *failure)
{
    struct top top = { .arguments = arguments,
                       .last_ms = arguments->last_ms != 0 ? arguments->last_ms : USUAL_LAST_MS };
    bool is_done;

    if (!choose_order(arguments->process_order, &top.order, failure))
        return (int)failure->code;
    if (!client_connect(arguments->socket, &top.client, failure))
        return failure->code;
    if (symbol_cache_create(&top.cache) < 0) {
        client_close(top.client);
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    }
    is_done = show_all(&top, failure);
    symbol_cache_free(top.cache);
    client_close(top.client);
    return is_done ? EXIT_CODE_SUCCESS : (int)failure->code;
}
