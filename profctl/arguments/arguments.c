#include "profctl/arguments/arguments.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "common/clock_choice.h"
#include "common/features.h"
#include "common/output_pattern.h"
#include "common/suggest.h"
#include "common/thread_filters.h"
#include "common/time_units.h"
#include "ipc/messages.h"
#include "profctl/units.h"

enum {
    MOST_OPTIONS = 96,
};

static const uint64_t shortest_interval_ns = UINT64_C(10) * 1000;
static const uint64_t longest_interval_ns = 60ull * NS_PER_S;
/* What profd takes. */
static const uint64_t smallest_limit_bytes = UINT64_C(1) << 20;

enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_INTERVAL,   /* uint64_t ns */
    OPTION_RATE,       /* uint64_t ns, written as samples per second */
    OPTION_SECONDS_MS, /* uint64_t ms, a bare number counts seconds */
    OPTION_REACH,      /* uint64_t ms, or "all" */
    OPTION_SIZE,       /* uint64_t bytes, of memory for recordings */
    OPTION_DISTANCE,   /* uint64_t bytes, from 1 on */
    OPTION_FEATURES,   /* uint64_t bits */
    OPTION_CLOCK,      /* enum sampling_clock */
    OPTION_COUNT,      /* uint64_t */
    OPTION_PORT,       /* uint64_t */
    OPTION_TRIGGER,    /* one more of the triggers */
    OPTION_PIDS,       /* const char *: numbers with commas between */
    OPTION_LIST,       /* const char *: not nothing but commas */
    OPTION_FILTERS,    /* const char *: of common/thread_filters.h */
    OPTION_ROWS,       /* unsigned: enum group_rows_by */
    OPTION_ORDER,      /* unsigned: enum group_rows_order */
    OPTION_MEASURES,   /* enum group_needs */
    OPTION_TEXTS,      /* struct argument_texts: one more */
};

struct option {
    enum option_set set;
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* what help calls it; NULL: takes none */
    enum option_kind kind;
    size_t offset; /* in struct arguments */
    const char *help;
};

#define AT(field) offsetof(struct arguments, field)

static const struct option options[] = {
    { OPTIONS_SESSION, "interval", 'i', "TIME", OPTION_INTERVAL, AT(interval_ns),
      "time between samples: us, ms, s (default 1ms)" },
    { OPTIONS_SESSION, "rate", 'r', "HZ", OPTION_RATE, AT(interval_ns),
      "samples per second: --rate 1000 is --interval 1ms" },
    { OPTIONS_SESSION, "clock", 'c', "CLOCK", OPTION_CLOCK, AT(clock),
      "what takes samples (default auto):" },
    { OPTIONS_SESSION, "duration", 'd', "TIME", OPTION_SECONDS_MS, AT(duration_ms),
      "end the session by itself after TIME" },
    { OPTIONS_SESSION, "features", 'f', "LIST", OPTION_FEATURES, AT(features),
      "what to record, comma-separated:" },
    { OPTIONS_SESSION, "threads", 't', "FILTERS", OPTION_FILTERS, AT(threads),
      "only threads with one of FILTERS in their names, comma-separated; pid:PID for a process" },
    { OPTIONS_SESSION, "memory-limit", 'm', "SIZE", OPTION_SIZE, AT(memory_limit_bytes),
      "for what all processes record together: K, M, G" },
    { OPTIONS_SESSION, "alloc-interval", 0, "SIZE", OPTION_DISTANCE, AT(allocation_interval_bytes),
      "nativeallocs: bytes from one sampled allocation to the next (default 512K)" },
    { OPTIONS_TRIGGER, "trigger", 0, "WHAT", OPTION_TRIGGER, 0,
      "write a capture by itself when that happens; may be repeated:" },
    { OPTIONS_PATTERN, "output", 'o', "PATTERN", OPTION_TEXT, AT(pattern),
      "files of triggers; %p pid, %t time, %e event, %n number (" OUTPUT_PATTERN_DEFAULT ")" },
    { OPTIONS_RUN, "trigger-output", 0, "PATTERN", OPTION_TEXT, AT(pattern),
      "files of triggers; %p pid, %t time, %e event, %n number (" OUTPUT_PATTERN_DEFAULT ")" },
    { OPTIONS_RUN, "open", 0, NULL, OPTION_FLAG, AT(open),
      "show the capture in the browser when it is written, as profctl view does" },
    { OPTIONS_PATTERN, "last", 'l', "TIME", OPTION_REACH, AT(trigger_last_ms),
      "what those files hold of the time before it happened; all (default 10s)" },
    { OPTIONS_RUN, "trigger-last", 0, "TIME", OPTION_REACH, AT(trigger_last_ms),
      "what those files hold of the time before it happened; all (default 10s)" },
    { OPTIONS_TRIGGER, "max-files", 0, "N", OPTION_COUNT, AT(most_files),
      "keep the N newest files of triggers (default 10)" },
    { OPTIONS_OUTPUT, "output", 'o', "FILE", OPTION_TEXT, AT(output),
      "where the capture goes: .json, .json.gz, or .profd, which is written at once and read by "
      "all commands (default profile.json.gz)" },
    { OPTIONS_CONVERT, "output", 'o', "FILE", OPTION_TEXT, AT(converted),
      "where the result goes; its ending chooses the format, and .gz compresses it; .json: as "
      "captures are" },
    { OPTIONS_CONVERT, "format", 0, "FORMAT", OPTION_TEXT, AT(format),
      "html, collapsed, speedscope, pprof, callgrind, trace, cpuprofile or processed, whatever "
      "the ending" },
    { OPTIONS_CONVERT, "thread", 0, "THREAD", OPTION_TEXT, AT(thread),
      "only this thread: its number, PID-TID, its name, or as in 'app (17): main thread'" },
    { OPTIONS_MERGE, "output", 'o', "FILE", OPTION_TEXT, AT(merged),
      "where the result goes: .json or .json.gz" },
    { OPTIONS_MERGE, "host", 0, "NAMES", OPTION_TEXT, AT(hosts),
      "whose captures they are, comma-separated, in their order (default: the files' names)" },
    { OPTIONS_MERGE, "offset", 0, "LIST", OPTION_TEXT, AT(offsets),
      "corrections of clocks, comma-separated: HOST:TIME or NUMBER:TIME, as web2:-250ms" },
    { OPTIONS_FILE, "output", 'o', "FILE", OPTION_TEXT, AT(output),
      "where the result goes: .json or .json.gz (default: in place of FILE)" },
    { OPTIONS_OUTPUT, "timeout", 0, "TIME", OPTION_SECONDS_MS, AT(timeout_ms),
      "longest wait for the processes' profiles (default 10s)" },
    { OPTIONS_OUTPUT, "no-symbols", 0, NULL, OPTION_FLAG, AT(no_symbols),
      "leave addresses; a symbol server can name them later" },
    { OPTIONS_OUTPUT | OPTIONS_FILE, "debuginfod", 0, NULL, OPTION_FLAG, AT(debuginfod),
      "fetch debug information from the servers of $DEBUGINFOD_URLS" },
    { OPTIONS_OUTPUT, "strict", 0, NULL, OPTION_FLAG, AT(strict),
      "exit with 4 when the capture is incomplete" },
    { OPTIONS_CAPTURE, "stop", 0, NULL, OPTION_FLAG, AT(stop), "stop the session when done" },
    { OPTIONS_LAST, "last", 'l', "TIME", OPTION_SECONDS_MS, AT(last_ms),
      "only what was recorded in the last TIME" },
    { OPTIONS_SELECT, "pid", 'p', "PIDS", OPTION_PIDS, AT(pids),
      "only these processes, comma-separated" },
    { OPTIONS_SELECT, "process", 0, "NAMES", OPTION_LIST, AT(processes),
      "only processes whose program's name or title holds one of NAMES, comma-separated" },
    { OPTIONS_SELECT_THREADS, "threads", 't', "FILTERS", OPTION_FILTERS, AT(only_threads),
      "only threads whose name holds one of FILTERS, and their processes' main threads" },
    { OPTIONS_TOP, "sort", 'S', "WHAT", OPTION_TEXT, AT(process_order),
      "processes by cpu, samples, name or pid (default cpu)" },
    { OPTIONS_TOP, "tree", 0, NULL, OPTION_FLAG, AT(tree),
      "instead: who called whom; with --pid or --process of those alone" },
    { OPTIONS_TOP, "once", '1', NULL, OPTION_FLAG, AT(once), "print it once, and end" },
    { OPTIONS_PAUSE, "sampling", 0, NULL, OPTION_FLAG, AT(sampling),
      "samples and counters alone; markers go on" },
    { OPTIONS_STATUS, "watch", 'w', NULL, OPTION_FLAG, AT(watch),
      "print it again every second until interrupted" },
    { OPTIONS_REPORT, "top", 'n', "N", OPTION_COUNT, AT(top),
      "functions to show for each thread (default 10)" },
    { OPTIONS_CALLS, "by", 'b', "WHAT", OPTION_TEXT, AT(table),
      "one table by function, line, label, thread, process, program, marker or counter" },
    { OPTIONS_CALLS, "no-pager", 0, NULL, OPTION_FLAG, AT(no_pager),
      "do not show it through $PAGER on a terminal" },
    { OPTIONS_CALLS, "calls", 'C', NULL, OPTION_FLAG, AT(calls),
      "the longest calls instead, and how long those of each function take" },
    { OPTIONS_CALLS | OPTIONS_QUERY, "tree", 0, NULL, OPTION_FLAG, AT(tree),
      "instead: who called whom, the tree of calls of each program and thread" },
    { OPTIONS_CALLS | OPTIONS_QUERY, "callers", 0, NULL, OPTION_FLAG, AT(callers),
      "instead: the tree from where the time was spent to its callers" },
    { OPTIONS_CALLS | OPTIONS_QUERY, "fold-recursion", 0, NULL, OPTION_FLAG, AT(fold_recursion),
      "in a tree: calls of a function by itself are one" },
    { OPTIONS_CALLS, "processes", 0, NULL, OPTION_FLAG, AT(by_process),
      "instead: processes by their programs: how many, how long, and the slowest of each" },
    { OPTIONS_CALLS, "missing-symbols", 0, NULL, OPTION_FLAG, AT(missing_symbols),
      "instead: libraries with addresses that have no names, and where files were looked for" },
    { OPTIONS_DIFF, "diff", 'D', "BEFORE", OPTION_TEXT, AT(before),
      "what has changed since BEFORE, another profile, in each function" },
    { OPTIONS_DIFF | OPTIONS_QUERY, "shares", 0, NULL, OPTION_FLAG, AT(shares),
      "compare shares of all CPU time, of runs that did not do the same work" },
    { OPTIONS_REPORT, "all", 'a', NULL, OPTION_FLAG, AT(all),
      "count idle samples too, not only those in which the thread ran" },
    { OPTIONS_GROUPS, "by", 'b', "WHAT", OPTION_ROWS, AT(by),
      "group, process or thread: what a line is of (default group)" },
    { OPTIONS_GROUPS, "sort", 'S', "WHAT", OPTION_ORDER, AT(order),
      "cpu, wall, blocked, ticks or jank: the most first (default cpu)" },
    { OPTIONS_GROUPS, "filter", 0, "FILTER", OPTION_TEXT, AT(filter),
      "only these, such as kind=tenant,name=blue,process=server" },
    { OPTIONS_GROUPS, "measure", 0, "LIST", OPTION_MEASURES, AT(measures),
      "cpu, jank, blocked or ticks: ask only for these, comma-separated (default all)" },
    { OPTIONS_GROUPS, "units", 'u', NULL, OPTION_FLAG, AT(units),
      "measure groups that hold a single unit, too" },
    { OPTIONS_GROUPS, "for", 0, "TIME", OPTION_SECONDS_MS, AT(period_ms),
      "how long to measure where nobody had asked for groups (default 1s)" },
    { OPTIONS_GROUPS, "watch", 'w', "TIME", OPTION_SECONDS_MS, AT(every_ms),
      "print what happened since the last time, every TIME, until interrupted" },
    { OPTIONS_GROUPS, "alert", 'A', "RULE", OPTION_TEXT, AT(alert),
      "print only what is too long, such as cpu>64ms,kind=tenant, until interrupted" },
    { OPTIONS_GROUPS, "top", 'n', "N", OPTION_COUNT, AT(top), "lines to show (default 10)" },
    { OPTIONS_VIEW, "port", 0, "PORT", OPTION_PORT, AT(port),
      "port of 127.0.0.1 to serve at (default: one that is free)" },
    { OPTIONS_VIEW, "idle", 0, "TIME", OPTION_SECONDS_MS, AT(idle_ms),
      "end when no browser has asked for anything for TIME (default 1h)" },
    { OPTIONS_VIEW, "no-browser", 0, NULL, OPTION_FLAG, AT(no_browser),
      "only print the addresses" },
    { OPTIONS_EXPORT, "every", 0, "TIME", OPTION_SECONDS_MS, AT(export_every_ms),
      "what a row is about; 1s to 1h (default 1m)" },
    { OPTIONS_EXPORT, "spool", 0, "DIR", OPTION_TEXT, AT(spool),
      "where rows wait for the server (default profd/spool in $STATE_DIRECTORY or "
      "$XDG_STATE_HOME)" },
    { OPTIONS_EXPORT, "spool-limit", 0, "SIZE", OPTION_SIZE, AT(spool_limit_bytes),
      "how much may wait; what is beyond is lost and counted (default 256M)" },
    { OPTIONS_EXPORT, "label", 0, "LABELS", OPTION_TEXTS, AT(labels),
      "KEY=VALUE, comma-separated: service, version, zone, host …; may be repeated" },
    { OPTIONS_EXPORT, "label-file", 0, "FILE", OPTION_TEXT, AT(label_file),
      "labels as Kubernetes' downward API writes them" },
    { OPTIONS_EXPORT | OPTIONS_QUERY, "timeout", 0, "TIME", OPTION_SECONDS_MS,
      AT(server_timeout_ms), "how long the server may take to answer (default 20s; query: 2m)" },
    { OPTIONS_QUERY, "from", 0, "TIME", OPTION_TEXT, AT(from),
      "-1h, or 2026-01-31 14:00 (UTC) (default -1h)" },
    { OPTIONS_QUERY, "to", 0, "TIME", OPTION_TEXT, AT(to), "likewise (default now)" },
    { OPTIONS_QUERY, "service", 0, "NAME", OPTION_TEXT, AT(service), "only that service" },
    { OPTIONS_QUERY, "host", 0, "NAME", OPTION_TEXT, AT(host), "only that host" },
    { OPTIONS_QUERY, "where", 'w', "KEY=VALUE", OPTION_TEXTS, AT(wheres),
      "only with that label, version, program, build_id, kind or thread; may be repeated" },
    { OPTIONS_QUERY, "diff", 'D', "KEY=VALUE", OPTION_TEXT, AT(compared),
      "compare: --diff version=A version=B" },
    { OPTIONS_QUERY, "output", 'o', "FILE", OPTION_TEXT, AT(query_output),
      "a capture (.json, .json.gz), or what profctl convert writes, instead of a report" },
    { OPTIONS_GLOBAL, "socket", 's', "PATH", OPTION_TEXT, AT(socket),
      "profd's socket (default $PROFD_SOCKET, or profd.sock in $XDG_RUNTIME_DIR)" },
    { OPTIONS_GLOBAL, "json", 'j', NULL, OPTION_FLAG, AT(json), "print results as JSON" },
    { OPTIONS_GLOBAL, "quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only errors" },
    { OPTIONS_GLOBAL, "help", 'h', NULL, OPTION_FLAG, AT(help), "print this help" },
    { OPTIONS_GLOBAL, "version", 'V', NULL, OPTION_FLAG, AT(version), "print the version" },
};

enum { OPTION_TOTAL = sizeof(options) / sizeof(options[0]) };
_Static_assert((int)OPTION_TOTAL <= (int)MOST_OPTIONS, "room for suggestions");

static const struct {
    const char *name, *help;
} features[] = {
#define X(name, bit, text, help) { text, help },
    FEATURES(X)
#undef X
};

enum { FEATURE_TOTAL = sizeof(features) / sizeof(features[0]) };

void arguments_init(struct arguments *arguments)
{
    *arguments = (struct arguments){
        .interval_ns = NS_PER_MS,
        .features = FEATURES_DEFAULT,
        .measures = GROUP_NEEDS_USUAL,
        .threads = "",
        .timeout_ms = UINT64_C(10) * 1000,
        .most_files = 10,
        .top = 10,
        .period_ms = 1000,
        .idle_ms = UINT64_C(3600) * 1000,
        .export_every_ms = UINT64_C(60) * 1000,
        .spool_limit_bytes = UINT64_C(256) << 20,
    };
}

/* --- Values --- */

static bool parse_features(const char *text, uint64_t *bits, struct failure *failure)
{
    char word[FEATURE_WORD_BYTES];
    const char *meant;

    if (features_parse(text, bits, word) == 0)
        return true;
    meant = features_nearest(word);
    failure_set(failure, EXIT_CODE_USAGE, "unknown feature '%s' in --features%s%s%s", word,
                meant ? "; did you mean '" : "; see profctl start --help", meant ? meant : "",
                meant ? "'?" : "");
    return false;
}

static bool parse_clock(const char *text, enum sampling_clock *clock, struct failure *failure)
{
    const char *meant;

    if (clock_choice_parse(text, clock) == 0)
        return true;
    meant = clock_choice_nearest(text);
    failure_set(failure, EXIT_CODE_USAGE, "--clock '%.64s' is none of " CLOCK_CHOICES "%s%s%s",
                text, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return false;
}

/* "NAME:DURATION", as people write the duration. */
static bool parse_marker(const char *text, struct trigger *out)
{
    const char *colon = strrchr(text, ':');

    if (colon == NULL || !trigger_name_is_valid(text, (size_t)(colon - text)))
        return false;
    *out = (struct trigger){ .kind = TRIGGER_MARKER };
    memcpy(out->name, text, (size_t)(colon - text));
    return units_parse_time(colon + 1, NS_PER_MS, &out->duration_ns) == 0;
}

/* What is wrong with TEXT. */
static void refuse_trigger(const char *text, struct failure *failure)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    struct trigger trigger = { .kind =
                                   strncmp(text, "delay:", 6) == 0 ? TRIGGER_DELAY : TRIGGER_JANK };
    const char *colon = strchr(text, ':');
    bool is_rule = strncmp(text, "delay:", 6) == 0 || strncmp(text, "jank:", 5) == 0;

    if (is_rule && strlen(colon + 1) >= TRIGGER_RULE_BYTES) {
        failure_set(failure, EXIT_CODE_USAGE, "--trigger '%.64s...': a rule has at most %d bytes",
                    text, TRIGGER_RULE_BYTES - 1);
        return;
    }
    if (is_rule && trigger_set_rule(&trigger, colon + 1, strlen(colon + 1))) {
        (void)trigger_alert(&trigger, &rule, problem); /* false: it was no trigger */
        failure_set(failure, EXIT_CODE_USAGE, "--trigger '%s': %s", text, problem);
        return;
    }
    failure_set(failure, EXIT_CODE_USAGE,
                "--trigger '%s' is none of signal, exit, marker:NAME:TIME, jank:TIME, delay:TIME, "
                "cpu:PERCENT%%/TIME, name:NAME, SIGUSR2",
                text);
}

static bool parse_trigger(struct arguments *arguments, const char *text, struct failure *failure)
{
    static const char marker[] = "marker:";
    struct trigger *trigger = &arguments->triggers[arguments->trigger_count];
    bool is_marker = strncmp(text, marker, strlen(marker)) == 0;

    if (arguments->trigger_count == TRIGGERS_MOST) {
        failure_set(failure, EXIT_CODE_USAGE, "too many --trigger; at most %d", TRIGGERS_MOST);
        return false;
    }
    if (is_marker ? !parse_marker(text + strlen(marker), trigger)
                  : trigger_parse(text, strlen(text), trigger) < 0) {
        refuse_trigger(text, failure);
        return false;
    }
    arguments->trigger_count++;
    return true;
}

static int in_range(int err, const uint64_t *value, uint64_t minimum, uint64_t maximum)
{
    if (err < 0)
        return err;
    return *value < minimum || *value > maximum ? -ERANGE : 0;
}

static int parse_milliseconds(const char *text, uint64_t *milliseconds)
{
    uint64_t ns;
    int err = units_parse_time(text, NS_PER_S, &ns);

    if (err < 0)
        return err;
    if (ns == 0)
        return -ERANGE;
    *milliseconds = (ns + NS_PER_MS - 1) / NS_PER_MS;
    return 0;
}

static int parse_reach(const char *text, uint64_t *milliseconds)
{
    if (strcmp(text, "all") != 0)
        return parse_milliseconds(text, milliseconds);
    *milliseconds = ARGUMENTS_ALL_TIME;
    return 0;
}

static int parse_number(const struct option *option, const char *text, uint64_t *number)
{
    switch (option->kind) {
    case OPTION_INTERVAL:
        return in_range(units_parse_time(text, NS_PER_MS, number), number, shortest_interval_ns,
                        longest_interval_ns);
    case OPTION_RATE:
        return in_range(units_parse_rate(text, number), number, shortest_interval_ns,
                        longest_interval_ns);
    case OPTION_SECONDS_MS:
        return parse_milliseconds(text, number);
    case OPTION_REACH:
        return parse_reach(text, number);
    case OPTION_SIZE:
        return in_range(units_parse_size(text, number), number, smallest_limit_bytes, INT64_MAX);
    case OPTION_DISTANCE:
        return in_range(units_parse_size(text, number), number, 1, INT64_MAX);
    case OPTION_PORT:
        return units_parse_count(text, 1, UINT16_MAX, number);
    case OPTION_COUNT:
        return units_parse_count(text, 1, 1000000, number);
    default:
        return -EINVAL;
    }
}

static const char *expected(enum option_kind kind)
{
    switch (kind) {
    case OPTION_INTERVAL:
        return "a time from 10us to 60s, such as 250us or 1ms";
    case OPTION_RATE:
        return "samples per second, up to 100000";
    case OPTION_SECONDS_MS:
        return "a time, such as 500ms or 10s";
    case OPTION_REACH:
        return "a time, such as 500ms or 10s, or all";
    case OPTION_SIZE:
        return "a size of at least 1M, such as 64M or 1G";
    case OPTION_DISTANCE:
        return "a size, such as 64K or 1M";
    case OPTION_PORT:
        return "a port from 1 to 65535";
    default:
        return "a number from 1 to 1000000";
    }
}

static void set_flag(struct arguments *arguments, const struct option *option)
{
    *(bool *)((char *)arguments + option->offset) = true;
}

static bool parse_list(const struct option *option, const char *text, const char **list,
                       struct failure *failure)
{
    bool is_of_numbers = text[strspn(text, "0123456789,")] == '\0';

    *list = text;
    if (text[strspn(text, ",")] != '\0' && strlen(text) <= MESSAGE_MAX_SELECTION &&
        (is_of_numbers || option->kind != OPTION_PIDS))
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "--%s '%.64s' is not %s", option->name, text,
                option->kind == OPTION_PIDS ? "a list of process ids, such as 17,18"
                                            : "a list of names, comma-separated");
    return false;
}

static bool parse_filters(const struct option *option, const char *text, const char **filters,
                          struct failure *failure)
{
    *filters = text;
    if (strlen(text) <= MESSAGE_MAX_SELECTION && thread_filters_are_valid(text))
        return true;
    failure_set(failure, EXIT_CODE_USAGE,
                "--%s '%.64s' is not a list of thread names and pid:PID, comma-separated",
                option->name, text);
    return false;
}

static bool parse_choice(const struct option *option, const char *text, unsigned *choice,
                         struct failure *failure)
{
    static const char *const rows[] = { "group", "process", "thread", NULL };
    static const char *const orders[] = { "cpu", "wall", "blocked", "ticks", "jank", NULL };
    const char *const *choices = option->kind == OPTION_ROWS ? rows : orders;

    for (*choice = 0; choices[*choice] != NULL; (*choice)++) {
        if (strcmp(choices[*choice], text) == 0)
            return true;
    }
    failure_set(failure, EXIT_CODE_USAGE, "--%s '%.64s' is none of %s", option->name, text,
                option->kind == OPTION_ROWS ? "group, process, thread"
                                            : "cpu, wall, blocked, ticks, jank");
    return false;
}

/* Ticks and times on the wall cost nothing more. */
static bool parse_measures(const char *text, uint32_t *needs, struct failure *failure)
{
    static const struct {
        const char *name;
        uint32_t needs;
    } measures[] = { { "cpu", GROUP_NEED_CPU },
                     { "jank", GROUP_NEED_CPU },
                     { "blocked", GROUP_NEED_BLOCKED },
                     { "ticks", 0 } };

    *needs = GROUP_NEED_GROUPS;
    for (const char *word = text, *end; word != NULL; word = *end != '\0' ? end + 1 : NULL) {
        size_t i = 0, total = sizeof(measures) / sizeof(measures[0]);
        end = strchrnul(word, ',');
        while (i < total && (strlen(measures[i].name) != (size_t)(end - word) ||
                             memcmp(measures[i].name, word, (size_t)(end - word)) != 0))
            i++;
        if (i == total) {
            failure_set(failure, EXIT_CODE_USAGE,
                        "--measure '%.64s' is not a list of cpu, jank, blocked and ticks", text);
            return false;
        }
        *needs |= measures[i].needs;
    }
    return true;
}

static bool add_text(const struct option *option, const char *text, struct argument_texts *texts,
                     struct failure *failure)
{
    if (texts->count == ARGUMENTS_MOST_TEXTS) {
        failure_set(failure, EXIT_CODE_USAGE, "too many --%s; at most %d", option->name,
                    ARGUMENTS_MOST_TEXTS);
        return false;
    }
    texts->texts[texts->count++] = text;
    return true;
}

static bool store(struct arguments *arguments, const struct option *option, const char *text,
                  struct failure *failure)
{
    void *target = (char *)arguments + option->offset;

    switch (option->kind) {
    case OPTION_TEXT:
        *(const char **)target = text;
        return true;
    case OPTION_TEXTS:
        return add_text(option, text, target, failure);
    case OPTION_PIDS:
    case OPTION_LIST:
        return parse_list(option, text, target, failure);
    case OPTION_FILTERS:
        return parse_filters(option, text, target, failure);
    case OPTION_ROWS:
    case OPTION_ORDER:
        return parse_choice(option, text, target, failure);
    case OPTION_MEASURES:
        return parse_measures(text, target, failure);
    case OPTION_TRIGGER:
        return parse_trigger(arguments, text, failure);
    case OPTION_FEATURES:
        return parse_features(text, target, failure);
    case OPTION_CLOCK:
        return parse_clock(text, target, failure);
    default:
        if (parse_number(option, text, target) == 0)
            return true;
        failure_set(failure, EXIT_CODE_USAGE, "--%s '%s' is not %s", option->name, text,
                    expected(option->kind));
        return false;
    }
}

/* --- Words --- */

static const struct option *find_option(unsigned sets, const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < OPTION_TOTAL; i++) {
        if ((options[i].set & sets) == 0)
            continue;
        if (letter != 0
                ? options[i].letter == letter
                : strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    }
    return NULL;
}

static const char *nearest_option(unsigned sets, const char *word)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0;

    for (size_t i = 0; i < OPTION_TOTAL; i++)
        if ((options[i].set & sets) != 0)
            names[count++] = options[i].name;
    return suggest_nearest(word, names, count);
}

static void unknown_option(unsigned sets, const char *word, const char *command,
                           struct failure *failure)
{
    char name[64];
    const char *meant;

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    meant = strncmp(name, "--", 2) == 0 ? nearest_option(sets, name + 2) : NULL;
    failure_set(failure, EXIT_CODE_USAGE, "unknown option %s%s%s%s; see profctl%s%s --help", name,
                meant ? "; did you mean --" : "", meant ? meant : "", meant ? "?" : "",
                command ? " " : "", command ? command : "");
}

/* The words still to be read. */
struct cursor {
    char **words;
    int next, count;
};

static bool take_value(struct arguments *arguments, const struct option *option,
                       const char *attached, struct cursor *cursor, struct failure *failure)
{
    if (option->value == NULL) {
        set_flag(arguments, option);
        return true;
    }
    if (attached != NULL)
        return store(arguments, option, attached, failure);
    if (cursor->next == cursor->count) {
        failure_set(failure, EXIT_CODE_USAGE, "--%s needs a value: --%s %s", option->name,
                    option->name, option->value);
        return false;
    }
    return store(arguments, option, cursor->words[cursor->next++], failure);
}

static bool take_long(struct arguments *arguments, const char *word, struct cursor *cursor,
                      unsigned sets, const char *command, struct failure *failure)
{
    size_t length = strcspn(word + 2, "=");
    const char *attached = word[2 + length] == '=' ? word + 3 + length : NULL;
    const struct option *option = find_option(sets, word + 2, length, 0);

    if (option == NULL) {
        unknown_option(sets, word, command, failure);
        return false;
    }
    if (attached != NULL && option->value == NULL) {
        failure_set(failure, EXIT_CODE_USAGE, "--%s takes no value", option->name);
        return false;
    }
    return take_value(arguments, option, attached, cursor, failure);
}

/* "-o FILE", "-oFILE", and flags together: "-qj". */
static bool take_letters(struct arguments *arguments, const char *word, struct cursor *cursor,
                         unsigned sets, const char *command, struct failure *failure)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct option *option = find_option(sets, NULL, 0, *letter);

        if (option == NULL) {
            unknown_option(sets, word, command, failure);
            return false;
        }
        if (option->value != NULL)
            return take_value(arguments, option, letter[1] != '\0' ? letter + 1 : NULL, cursor,
                              failure);
        set_flag(arguments, option);
    }
    return true;
}

bool arguments_parse(struct arguments *arguments, int count, char **words, unsigned sets,
                     bool stop_at_operand, const char *command, struct failure *failure)
{
    struct cursor cursor = { words, 0, count };
    int operands = 0; /* kept at the front meanwhile: words before the cursor are read */

    while (cursor.next < count) {
        char *word = words[cursor.next++];
        bool taken;

        if (strcmp(word, "--") == 0)
            break;
        if (word[0] != '-' || word[1] == '\0') {
            words[operands++] = word;
            if (stop_at_operand)
                break;
            continue;
        }
        taken = word[1] == '-' ? take_long(arguments, word, &cursor, sets, command, failure)
                               : take_letters(arguments, word, &cursor, sets, command, failure);
        if (!taken)
            return false;
    }
    memmove(words + cursor.next - operands, words, (size_t)operands * sizeof(*words));
    arguments->operands = words + cursor.next - operands;
    arguments->operand_count = count - cursor.next + operands;
    return true;
}

/* --- Help --- */

static void print_option(FILE *out, const struct option *option)
{
    char letter[8] = "    ";
    char name[48];

    if (option->letter != 0)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    snprintf(name, sizeof(name), "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    fprintf(out, "  %s%-22s %s\n", letter, name, option->help);
    if (option->kind == OPTION_TRIGGER)
        fprintf(out,
                "%30ssignal            a process is killed by a signal\n"
                "%30sexit              a process exits with another status than 0\n"
                "%30smarker:NAME:TIME  an interval marker NAME lasts longer than TIME\n"
                "%30sjank:TIME         a performance group uses more CPU time in an iteration,\n"
                "%30s                  or jank:RULE as in 'profctl groups --alert RULE'\n"
                "%30sdelay:TIME        an event loop takes longer for an iteration\n"
                "%30scpu:80%%/10s       a process uses so much of a processor for so long\n"
                "%30sname:NAME         profctl trigger NAME\n"
                "%30sSIGUSR2           profd gets that signal\n",
                "", "", "", "", "", "", "", "", "");
    if (option->kind == OPTION_CLOCK)
        fprintf(out,
                "%30scpu   each thread by the CPU time that it uses, at the kernel's tick\n"
                "%30sperf  the same by perf events, at any interval; dearer\n"
                "%30swall  by real time, also threads that wait\n"
                "%30sauto  cpu; a process that cannot have the clock falls back\n",
                "", "", "", "");
    if (option->kind != OPTION_FEATURES)
        return;
    for (size_t i = 0; i < FEATURE_TOTAL; i++)
        fprintf(out, "%30s%-20s %s\n", "", features[i].name, features[i].help);
}

void arguments_print_options(FILE *out, unsigned sets)
{
    for (size_t i = 0; i < OPTION_TOTAL; i++)
        if ((options[i].set & sets) != 0)
            print_option(out, &options[i]);
}
