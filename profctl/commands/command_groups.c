/* groups: what performance groups cost, since monitoring began or in a while, once or again and
 * again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "common/time_units.h"
#include "ipc/groups/group_alert.h"
#include "ipc/groups/group_merge.h"
#include "ipc/groups/group_order.h"
#include "ipc/groups/snapshot_file.h"
#include "profctl/client/client.h"
#include "profctl/commands/commands.h"
#include "profctl/groups/group_print.h"

/* What is kept from one snapshot to the next. */
struct watch {
    struct client *client;
    const struct arguments *arguments;
    struct groups_filter filter;
    struct group_alert_rule rule;
    struct group_alerts alerts;
};

/* REMARK is not empty if groups were not being measured before. */
static bool take_snapshot(struct client *client, const struct arguments *arguments,
                          char remark[CLIENT_TEXT_BYTES], struct snapshot_file *out,
                          struct failure *failure)
{
    uint32_t needs = arguments->measures | (arguments->units ? GROUP_NEED_UNITS : 0);
    int fd = memfd_create("profctl-groups", MFD_CLOEXEC);
    int error = fd < 0 ? -errno : 0;

    *out = (struct snapshot_file){ 0 };
    bool is_there = error == 0 && client_groups(client, needs, fd, remark, failure);
    if (is_there)
        error = snapshot_file_map(fd, out);
    if (error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot read the groups: %s", strerror(-error));
    if (fd >= 0)
        close(fd);
    if (error < 0)
        snapshot_file_close(out);
    return is_there && error == 0;
}

static bool print_rows(const struct watch *watch, struct group_rows *rows, uint64_t period_ns,
                       struct failure *failure)
{
    const struct arguments *arguments = watch->arguments;
    enum group_rows_by by = (enum group_rows_by)arguments->by;
    uint64_t most = arguments->top;

    group_rows_keep(rows, &watch->filter);
    int error = group_rows_merge(rows, by);
    group_rows_sort(rows, (enum group_rows_order)arguments->order);
    if (arguments->every_ms != 0 && !arguments->json && isatty(STDOUT_FILENO))
        fputs("\033[H\033[J", stdout);
    if (error == 0 && arguments->json)
        error = group_print_json(rows, by, period_ns, stdout);
    else if (error == 0)
        group_print_table(rows, by, most, period_ns, stdout);
    if (error < 0 || fflush(stdout) != 0 || ferror(stdout))
        failure_set(failure, EXIT_CODE_FAILED, "cannot print the groups: %s",
                    strerror(error < 0 ? -error : errno));
    else
        return true;
    return false;
}

/* The alerts of NEWS. */
static bool print_alerts(struct watch *watch, struct group_rows *news, struct failure *failure)
{
    const struct arguments *arguments = watch->arguments;
    int error = 0;

    group_rows_keep(news, &watch->filter);
    for (size_t i = 0; i < news->count && error >= 0; i++) {
        const struct group_row *row = &news->rows[i];
        uint64_t times;
        error = group_alert_judge(&watch->alerts, &watch->rule, row, news->head.now_ns, &times);
        if (error == 1 && arguments->json)
            error = group_print_alert_json(row, arguments->alert, times, stdout);
        else if (error == 1)
            group_print_alert(row, arguments->alert, times, stdout);
    }
    group_alerts_end_look(&watch->alerts, &watch->rule, news->head.now_ns);
    if (error < 0 || fflush(stdout) != 0 || ferror(stdout))
        failure_set(failure, EXIT_CODE_FAILED, "cannot print alerts: %s",
                    strerror(error < 0 ? -error : errno));
    else
        return true;
    return false;
}

static void wait_ms(uint64_t ms)
{
    const struct timespec time = { .tv_sec = (time_t)(ms / MS_PER_S),
                                   .tv_nsec = (long)(ms % MS_PER_S) * NS_PER_MS };

    (void)nanosleep(&time, NULL); /* cut short, it is a shorter period */
}

/* Prints what happened between EARLIER, which becomes the later snapshot, and one of now. */
static bool print_news(struct watch *watch, struct snapshot_file *earlier, struct failure *failure)
{
    const struct arguments *arguments = watch->arguments;
    static char remark[CLIENT_TEXT_BYTES];
    struct snapshot_file now;
    struct group_rows news;

    if (!take_snapshot(watch->client, arguments, remark, &now, failure))
        return false;
    int error = group_rows_read(now.memory, now.bytes, &news);
    if (error == 0)
        group_rows_subtract(&news, &earlier->rows);
    uint64_t period_ns = now.rows.head.now_ns - earlier->rows.head.now_ns;
    bool is_printed =
        error == 0 && (arguments->alert != NULL ? print_alerts(watch, &news, failure)
                                                : print_rows(watch, &news, period_ns, failure));
    if (error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot read the groups: %s", strerror(-error));
    group_rows_free(&news);
    snapshot_file_close(earlier);
    *earlier = now;
    return is_printed;
}

/* For alerts, too: what happens in so long is one. */
static uint64_t period_of(const struct arguments *arguments)
{
    return arguments->every_ms != 0 ? arguments->every_ms : arguments->period_ms;
}

static bool show_groups(struct watch *watch, struct failure *failure)
{
    static char remark[CLIENT_TEXT_BYTES];
    const struct arguments *arguments = watch->arguments;
    bool is_repeated = arguments->every_ms != 0 || arguments->alert != NULL;
    struct snapshot_file snapshot;
    bool goes_on = take_snapshot(watch->client, arguments, remark, &snapshot, failure);

    if (goes_on && !is_repeated && remark[0] == '\0') {
        goes_on = print_rows(watch, &snapshot.rows, 0, failure);
    } else if (goes_on) {
        do {
            wait_ms(period_of(arguments));
            goes_on = print_news(watch, &snapshot, failure);
        } while (goes_on && is_repeated);
    }
    snapshot_file_close(&snapshot);
    return goes_on;
}

static bool read_filter(const struct arguments *arguments, struct groups_filter *out,
                        struct failure *failure)
{
    char problem[GROUPS_FILTER_PROBLEM_BYTES];

    if (arguments->filter == NULL)
        return true;
    if (!groups_filter_parse(arguments->filter, out, problem)) {
        failure_set(failure, EXIT_CODE_USAGE, "--filter: %s", problem);
        return false;
    }
    bool is_of_groups = out->kind[0] != '\0' && strcmp(out->kind, "thread") != 0;
    if (!is_of_groups || arguments->by != GROUP_ROWS_BY_THREAD || arguments->alert != NULL)
        return true;
    failure_set(failure, EXIT_CODE_USAGE,
                "--filter 'kind=%.60s': --by thread shows threads, which are of kind thread",
                out->kind);
    return false;
}

static bool read_rule(const struct arguments *arguments, struct group_alert_rule *out,
                      struct failure *failure)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];

    if (arguments->alert == NULL || group_alert_parse(arguments->alert, out, problem))
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "--alert: %s", problem);
    return false;
}

int command_groups(const struct arguments *arguments, struct failure *failure)
{
    struct watch watch = { .arguments = arguments };

    if (!read_filter(arguments, &watch.filter, failure) ||
        !read_rule(arguments, &watch.rule, failure))
        return failure->code;
    if (!client_connect(arguments->socket, &watch.client, failure))
        return failure->code;
    bool is_shown = show_groups(&watch, failure);
    client_close(watch.client);
    group_alerts_free(&watch.alerts);
    return is_shown ? EXIT_CODE_SUCCESS : (int)failure->code;
}
