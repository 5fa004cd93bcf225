/* export: what a session records, minute by minute, to a server; until it is told to end. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/export_terms.h"
#include "common/short_file.h"
#include "common/time_units.h"
#include "profctl/commands/commands.h"
#include "profctl/commands/export_server.h"
#include "profctl/export/delivery.h"
#include "profctl/export/exporter.h"

enum {
    LABEL_FILE_BYTES = 64 * 1024,
    /* Clocks that differ by less are as right as they can be. */
    CLOCK_TOLERANCE_S = 30,
    DROP_EVERY_S = 60 * 60,
    RETRY_MS = 1000, /* to ask profd */
};

/* All of it. */
struct export_run {
    const struct arguments *arguments;
    struct export_server server;
    struct spool *spool;
    struct exporter exporter;
    struct delivery delivery;
    char last_trouble[HTTP_TEXT_BYTES]; /* with the server, as it was told; "": none */
    char last_failure[HTTP_TEXT_BYTES]; /* with profd, as it was told; "": none */
    uint64_t retry_ns;                  /* when profd is to be asked again */
    uint64_t taking_ns;                 /* how long the last range took */
    uint64_t drop_ns;                   /* when old partitions are to be dropped next */
    struct failure *failure;
};

/* --- Until when --- */

static void ending_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
}

/* They stay pending, so that later questions have the same answer. */
static bool should_stop(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

static void wait_for_time(uint64_t milliseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    now = start;
    while (!should_stop() && (uint64_t)(now.tv_sec - start.tv_sec) * MS_PER_S +
                                     (uint64_t)((now.tv_nsec - start.tv_nsec) / NS_PER_MS) <
                                 milliseconds) {
        usleep(50 * US_PER_MS);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

/* --- What is told --- */

/* Behind a number that is part of a name, as in tmp_insert_20261128_4_4_0. */
static const char *skip_numbers(const char *text)
{
    while (text[0] == '_' && isdigit((unsigned char)text[1]))
        text += 1 + strspn(text + 1, "0123456789");
    return text;
}

/* But for the names of what was in the way. */
static bool is_same_trouble(const char *left, const char *right)
{
    for (;; left++, right++) {
        left = skip_numbers(left);
        right = skip_numbers(right);
        if (*left != *right || *left == '\0')
            return *left == *right;
    }
}

/* The same trouble is told once. */
static void report_once(char last[HTTP_TEXT_BYTES], const char *text, const char *what)
{
    if (is_same_trouble(last, text))
        return;
    snprintf(last, HTTP_TEXT_BYTES, "%.*s", HTTP_TEXT_BYTES - 1, text);
    if (text[0] != '\0')
        say("%s: %s", what, text);
}

/* Hosts whose clocks are a day off would be in another day's rows. */
static void follow_clock(struct export_run *run)
{
    const struct export_target *target = &run->exporter.target;
    int64_t ahead_s = target->clock_ahead(target->owner);
    int64_t *offset_s = &run->exporter.clock_offset_s;
    int64_t wanted_s = llabs(ahead_s) > CLOCK_TOLERANCE_S ? ahead_s : 0;

    if (llabs(wanted_s - *offset_s) <= CLOCK_TOLERANCE_S && (wanted_s != 0) == (*offset_s != 0))
        return;
    say("this machine's clock differs from the server's by %lld s; minutes follow the server's",
        (long long)-ahead_s);
    *offset_s = wanted_s;
}

/* --- What is done --- */

/* False: there is no use in going on. */
static bool settle_step(struct export_run *run, enum delivery_step step, const char *text)
{
    switch (step) {
    case DELIVERY_FAILED:
        report_once(run->last_trouble, text, "the server is not accepting rows");
        return true;
    case DELIVERY_UNREAD:
        report_once(run->last_trouble, text, "cannot read the spool");
        return true;
    case DELIVERY_LOST:
        say("the server rejected a batch, which is lost: %s", text);
        return true;
    case DELIVERY_ENDED:
        failure_set(run->failure, EXIT_CODE_FAILED, "%s", text);
        return false;
    case DELIVERY_DONE:
        follow_clock(run);
        if (run->last_trouble[0] != '\0')
            say("the server accepts rows again");
        run->last_trouble[0] = '\0';
        return true;
    default:
        return true;
    }
}

/* Whether RANGE is over at NOW, and to be had of profd. */
static bool is_range_due(const struct export_run *run, const struct export_clocks *now,
                         struct export_range *range)
{
    const struct exporter *exporter = &run->exporter;

    return now->monotonic_ns >= run->retry_ns &&
           export_range_next(exporter->covered_ns, exporter->every_ns, now, range);
}

/* Delivers what can be, until the next range is due. On a machine where that is always so, delivery
 * has as much time as the last range took: what is taken only would fill the spool. */
static bool deliver_batches(struct export_run *run)
{
    char text[HTTP_TEXT_BYTES];
    enum delivery_step step = DELIVERY_DONE;
    const uint64_t enough_ns = exporter_clocks(&run->exporter).monotonic_ns + run->taking_ns;
    struct export_range range;

    while (step == DELIVERY_DONE && !should_stop()) {
        struct export_clocks now = exporter_clocks(&run->exporter);
        if (now.monotonic_ns > enough_ns && is_range_due(run, &now, &range))
            return true;
        step = delivery_step(&run->delivery, now.monotonic_ns, text);
        if (!settle_step(run, step, text))
            return false;
    }
    return true;
}

static void take_range(struct export_run *run, const struct export_range *range)
{
    struct failure failure = { 0 };
    const uint64_t began_ns = exporter_clocks(&run->exporter).monotonic_ns;
    bool is_taken = exporter_take(&run->exporter, range, &failure);
    const uint64_t now_ns = exporter_clocks(&run->exporter).monotonic_ns;

    run->taking_ns = now_ns - began_ns;
    if (!is_taken) {
        report_once(run->last_failure, failure.text, "nothing to export");
        run->retry_ns = now_ns + RETRY_MS * (uint64_t)NS_PER_MS;
        return;
    }
    run->last_failure[0] = '\0';
}

static void drop_old(struct export_run *run, uint64_t now_ns)
{
    const struct export_target *target = &run->exporter.target;
    char problem[HTTP_TEXT_BYTES];

    if (target->drop_old == NULL || now_ns < run->drop_ns || !run->delivery.is_prepared)
        return;
    run->drop_ns = now_ns + UINT64_C(1) * DROP_EVERY_S * NS_PER_S;
    if (target->drop_old(target->owner, problem) < 0)
        say("cannot drop old partitions: %s", problem);
}

/* WAIT_MS, or less when NEXT_NS is before that. */
static uint64_t wait_until_ms(uint64_t wait_ms, uint64_t now_ns, uint64_t next_ns)
{
    uint64_t until_ms = next_ns > now_ns ? (next_ns - now_ns) / NS_PER_MS + 1 : wait_ms;

    return until_ms < wait_ms ? until_ms : wait_ms;
}

/* Until the next minute, or the next try to ask or to deliver. */
static uint64_t idle_ms(const struct export_run *run, const struct export_clocks *now)
{
    uint64_t wait_ms = export_range_wait_ms(run->exporter.every_ns, now);

    wait_ms = wait_until_ms(wait_ms, now->monotonic_ns, run->retry_ns);
    return wait_until_ms(wait_ms, now->monotonic_ns, run->delivery.next_ns);
}

static bool run_export(struct export_run *run)
{
    struct exporter *exporter = &run->exporter;
    struct export_range range;

    while (!should_stop()) {
        struct export_clocks now = exporter_clocks(exporter);
        if (is_range_due(run, &now, &range))
            take_range(run, &range);
        if (!deliver_batches(run))
            return false;
        drop_old(run, now.monotonic_ns);
        now = exporter_clocks(exporter);
        if (!is_range_due(run, &now, &range))
            wait_for_time(idle_ms(run, &now));
    }
    return true;
}

/* Puts what there is of the last minute into the spool: the next exporter begins with its own time.
 */
static void take_the_rest(struct export_run *run)
{
    struct exporter *exporter = &run->exporter;
    struct export_clocks now = exporter_clocks(exporter);
    struct export_range range;

    if (export_range_rest(exporter->covered_ns, exporter->every_ns, &now, &range))
        take_range(run, &range);
}

/* --- Labels --- */

/* TEXT of WHERE, in which WRONG is the label that brought ERROR. */
static bool bad_labels(const char *where, const char *text, const char *wrong, int error,
                       struct failure *failure)
{
    if (error == -EEXIST)
        failure_set(failure, EXIT_CODE_USAGE, "%s: label '%.*s' is given twice", where,
                    (int)strcspn(wrong, "="), wrong);
    else
        failure_set(failure, EXIT_CODE_USAGE,
                    error == -E2BIG ? "%s '%.64s' has a value of more than 255 bytes, or makes "
                                      "more than 16 labels"
                                    : "%s '%.64s' is not KEY=VALUE, comma-separated, with keys of "
                                      "letters, digits and . _ / -",
                    where, text);
    return false;
}

static bool read_label_file(const char *path, struct label_list *labels, struct failure *failure)
{
    static char bytes[LABEL_FILE_BYTES];
    const char *why;
    size_t length;

    if (!short_file_read(path, bytes, sizeof(bytes) - 1, &length, &why)) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot read the labels in %s: %s", path, why);
        return false;
    }
    bytes[length] = '\0';
    if (label_list_parse_downward(labels, bytes) == 0)
        return true;
    failure_set(failure, EXIT_CODE_FAILED,
                "%s must consist of lines KEY=\"VALUE\", as written by the downward API", path);
    return false;
}

/* Those in COUNT TEXTS of WHERE, which have precedence over LABELS. */
static bool add_labels(const char *where, const char *const *texts, size_t count,
                       struct label_list *labels, struct failure *failure)
{
    struct label_list given = { 0 };
    const char *wrong;

    for (size_t i = 0; i < count; i++) {
        int error = label_list_parse(&given, texts[i], &wrong);
        if (error == 0 && i == count - 1 && label_list_merge(labels, &given) > 0)
            error = -E2BIG;
        if (error < 0)
            return bad_labels(where, texts[i], wrong, error, failure);
    }
    return true;
}

/* The file's, then the environment's, then those of the command line; later ones stay. */
static bool read_labels(const struct arguments *arguments, struct label_list *labels,
                        struct failure *failure)
{
    const char *environment = getenv("PROFD_LABELS");

    if (arguments->label_file != NULL && !read_label_file(arguments->label_file, labels, failure))
        return false;
    if (environment != NULL && !add_labels("PROFD_LABELS", &environment, 1, labels, failure))
        return false;
    return add_labels("--label", arguments->labels.texts, arguments->labels.count, labels, failure);
}

/* --- From the command line --- */

/* FOLDER is the one for the server's kind, where nobody says which. */
static bool choose_spool(const struct arguments *arguments, const char *folder, char path[PATH_MAX],
                         struct failure *failure)
{
    const char *state = getenv("STATE_DIRECTORY"), *home = getenv("HOME");
    int length;

    if (arguments->spool != NULL)
        length = snprintf(path, PATH_MAX, "%s", arguments->spool);
    else if (state != NULL)
        length = snprintf(path, PATH_MAX, "%s/%s", state, folder);
    else if (getenv("XDG_STATE_HOME") != NULL)
        length = snprintf(path, PATH_MAX, "%s/profd/%s", getenv("XDG_STATE_HOME"), folder);
    else if (home != NULL)
        length = snprintf(path, PATH_MAX, "%s/.local/state/profd/%s", home, folder);
    else
        length = -1;
    if (length < 0 || length >= PATH_MAX)
        failure_set(failure, EXIT_CODE_USAGE, "no directory for the spool; use --spool DIR");
    return length >= 0 && length < PATH_MAX;
}

/* A server that is away now may come back; tables of another version stay what they are. */
static bool check_server(struct export_run *run, struct failure *failure)
{
    char text[HTTP_TEXT_BYTES];
    enum http_outcome outcome = delivery_prepare(&run->delivery, text);

    follow_clock(run);
    if (outcome == HTTP_REFUSED) {
        failure_set(failure, EXIT_CODE_FAILED, "%s", text);
        return false;
    }
    report_once(run->last_trouble, text, "the server is not accepting rows");
    return true;
}

static bool set_up_run(struct export_run *run, struct failure *failure)
{
    const struct arguments *arguments = run->arguments;
    struct label_list labels = { 0 };
    char spool[PATH_MAX];

    if (arguments->export_every_ms < EXPORT_LEAST_EVERY_MS ||
        arguments->export_every_ms > EXPORT_MOST_EVERY_MS) {
        failure_set(failure, EXIT_CODE_USAGE, "--every is a time from 1s to 1h, such as 1m");
        return false;
    }
    if (!read_labels(arguments, &labels, failure) ||
        !export_server_open(&run->server, arguments->operands[0], run->exporter.source.host,
                            should_stop, arguments->server_timeout_ms, failure) ||
        !choose_spool(arguments, run->server.folder, spool, failure) ||
        !spool_open(spool, arguments->spool_limit_bytes, &run->spool, failure))
        return false;
    if (exporter_init(&run->exporter, arguments->socket, &labels,
                      arguments->export_every_ms * NS_PER_MS, arguments->timeout_ms,
                      run->spool) < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "out of memory");
        return false;
    }
    run->exporter.target = export_server_target(&run->server);
    run->delivery = (struct delivery){ .target = &run->exporter.target, .spool = run->spool };
    return check_server(run, failure);
}

int command_export(const struct arguments *arguments, struct failure *failure)
{
    struct export_run run = { .arguments = arguments, .failure = failure };
    sigset_t signals;

    ending_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    bool is_done = set_up_run(&run, failure);
    if (is_done && !arguments->quiet)
        say("exporting to %s, as %s", run.server.name, run.exporter.source.host);
    if (is_done) {
        is_done = run_export(&run);
        take_the_rest(&run);
    }
    delivery_free(&run.delivery);
    if (run.exporter.spool != NULL)
        exporter_fini(&run.exporter);
    spool_close(run.spool);
    export_server_close(&run.server);
    return is_done ? EXIT_CODE_SUCCESS : (int)failure->code;
}
