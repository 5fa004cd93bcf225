#include "child-agent/environment.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "child-agent/guest/valgrind_x86_64.h"
#include "child-agent/session_bounds.h"
#include "common/clock_choice.h"
#include "common/features.h"
#include "common/label_list.h"
#include "common/output_pattern.h"
#include "common/thread_filters.h"
#include "common/time_units.h"
#include "common/units.h"
#include "ipc/messages.h"
#include "ipc/socket.h"

/* secure_getenv sees nothing in a setuid program: nobody may steer that one from outside. */
static const char *value_of(const char *name)
{
    const char *text = secure_getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

static void note_problem(struct environment *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note_problem(struct environment *out, const char *format, ...)
{
    va_list arguments;
    if (out->problem[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(out->problem, sizeof(out->problem), format, arguments);
    va_end(arguments);
    for (char *byte = out->problem; *byte != '\0'; byte++)
        if ((unsigned char)*byte < ' ')
            *byte = ' '; /* one line, whatever the value */
}

static bool read_switch(struct environment *out, const char *name)
{
    const char *text = value_of(name);
    if (text == NULL || strcmp(text, "0") == 0)
        return false;
    if (strcmp(text, "1") != 0)
        note_problem(out, "%s '%.64s' must be 1 or 0", name, text);
    return strcmp(text, "1") == 0;
}

/* A signal by number or by name, with or without SIG; 0: none. */
static int find_signal(const char *text)
{
    uint64_t number;
    if (units_parse_count(text, 1, NSIG - 1, &number) == 0)
        return (int)number;
    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    for (int candidate = 1; candidate < NSIG; candidate++) {
        const char *abbreviation = sigabbrev_np(candidate);
        if (abbreviation != NULL && strcmp(abbreviation, text) == 0)
            return candidate;
    }
    return 0;
}

/* The kernel keeps two signals from all programs, and the C library those below SIGRTMIN. */
static bool can_be_caught(int number)
{
    return number != SIGKILL && number != SIGSTOP && (number < __SIGRTMIN || number >= SIGRTMIN);
}

static void read_signal(struct environment *out)
{
    const char *text = value_of("PROFD_SIGNAL");
    if (text == NULL)
        return;
    int number = find_signal(text);
    if (number == 0)
        note_problem(out, "PROFD_SIGNAL '%.64s' is not a signal", text);
    else if (!can_be_caught(number))
        note_problem(out, "PROFD_SIGNAL '%.64s' cannot be caught; URG is the usual one", text);
    else
        out->signal_number = number;
}

static void read_interval(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_INTERVAL");
    uint64_t interval_ns;
    if (text == NULL)
        return;
    if (units_parse_time(text, NS_PER_MS, &interval_ns) == 0 &&
        interval_ns >= SESSION_SHORTEST_INTERVAL_NS && interval_ns <= SESSION_LONGEST_INTERVAL_NS)
        out->interval_ns = interval_ns;
    else
        note_problem(out,
                     "PROFD_STARTUP_INTERVAL '%.64s' is not a time from 10us to 60s, such as 1ms",
                     text);
}

static void read_clock(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_CLOCK");
    if (text == NULL || clock_choice_parse(text, &out->clock) == 0)
        return;
    const char *meant = clock_choice_nearest(text);
    note_problem(out, "PROFD_STARTUP_CLOCK '%.64s' is not one of " CLOCK_CHOICES "%s%s%s", text,
                 meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                 meant != NULL ? "'?" : "");
}

static void read_features(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_FEATURES");
    char unknown[FEATURE_WORD_BYTES];
    uint64_t features;
    if (text == NULL)
        return;
    if (features_parse(text, &features, unknown) == 0) {
        out->features = features;
        return;
    }
    const char *meant = features_nearest(unknown);
    note_problem(out, "unknown feature '%s' in PROFD_STARTUP_FEATURES; %s%s%s", unknown,
                 meant != NULL ? "did you mean '" : "PROFD_HELP=1 lists them",
                 meant != NULL ? meant : "", meant != NULL ? "'?" : "");
}

static void read_filters(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_FILTERS");
    if (text == NULL)
        return;
    if (strlen(text) >= sizeof(out->filters))
        note_problem(out, "PROFD_STARTUP_FILTERS is longer than %d bytes",
                     ENVIRONMENT_FILTERS_BYTES - 1);
    else if (!thread_filters_are_valid(text))
        note_problem(out,
                     "PROFD_STARTUP_FILTERS '%.64s' is not a list of thread names and pid:PID, "
                     "comma-separated",
                     text);
    else
        strcpy(out->filters, text);
}

static void read_limit(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_LIMIT");
    uint64_t limit_bytes;
    if (text == NULL)
        return;
    if (units_parse_size(text, &limit_bytes) == 0 && limit_bytes >= SESSION_SMALLEST_LIMIT_BYTES)
        out->limit_bytes = limit_bytes;
    else
        note_problem(out, "PROFD_STARTUP_LIMIT '%.64s' is not a size of at least 1M, such as 64M",
                     text);
}

static void read_allocation_interval(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_ALLOC_INTERVAL");
    uint64_t bytes;
    if (text == NULL)
        return;
    if (units_parse_size(text, &bytes) == 0 && bytes > 0)
        out->allocation_interval_bytes = bytes;
    else
        note_problem(out, "PROFD_STARTUP_ALLOC_INTERVAL '%.64s' is not a size, such as 512K", text);
}

static void read_generation(struct environment *out)
{
    const char *text = value_of("PROFD_STARTUP_GENERATION");
    uint64_t generation;
    out->generation = 1;
    if (text != NULL && units_parse_count(text, 1, UINT32_MAX, &generation) == 0)
        out->generation = (uint32_t)generation;
}

static void read_shutdown(struct environment *out)
{
    const char *text = value_of("PROFD_SHUTDOWN");
    if (text == NULL)
        return;
    if (strlen(text) >= sizeof(out->shutdown_pattern))
        note_problem(out, "PROFD_SHUTDOWN is longer than %d bytes", ENVIRONMENT_PATTERN_BYTES - 1);
    else if (output_pattern_check(text, NULL) == -EINVAL)
        note_problem(out, "PROFD_SHUTDOWN '%.128s' has a %% that is not %%p", text);
    else if (!output_name_ends_in(text, ".json"))
        note_problem(out, "PROFD_SHUTDOWN '%.128s' does not end in .json", text);
    else if (!out->starts_up && out->is_default_socket)
        note_problem(out, "PROFD_SHUTDOWN has nothing to write without PROFD_STARTUP=1");
    else
        strcpy(out->shutdown_pattern, text);
}

/* Who profiles alone is not to be stopped by a profd that happens to run. */
static void read_socket(struct environment *out)
{
    out->is_default_socket = value_of("PROFD_SOCKET") == NULL;
    if (out->is_default_socket && value_of("PROFD_SHUTDOWN") != NULL)
        return;
    if (socket_path(NULL, out->socket_path) < 0)
        out->socket_path[0] = '\0';
}

static void read_labels(struct environment *out)
{
    const char *text = value_of("PROFD_LABELS");
    size_t left_out = 0;
    if (text != NULL)
        memcpy(out->labels, text, label_list_measure(text, sizeof(out->labels) - 1, &left_out));
    out->labels_left_out = (uint32_t)left_out;
}

void environment_read(struct environment *out)
{
    out->wants_help = value_of("PROFD_HELP") != NULL;
    out->is_disabled =
        read_switch(out, "PROFD_DISABLE") || getauxval(AT_SECURE) != 0 || valgrind_runs_this();
    read_labels(out);
    out->starts_up = read_switch(out, "PROFD_STARTUP");
    out->interval_ns = SESSION_DEFAULT_INTERVAL_NS;
    out->features = FEATURES_DEFAULT;
    out->limit_bytes = SESSION_DEFAULT_LIMIT_BYTES;
    read_signal(out);
    read_generation(out);
    read_socket(out);
    if (out->starts_up) {
        read_interval(out);
        read_clock(out);
        read_features(out);
        read_filters(out);
        read_limit(out);
        read_allocation_interval(out);
    }
    read_shutdown(out);
    if (out->problem[0] != '\0') {
        out->starts_up = false;
        out->shutdown_pattern[0] = '\0';
    }
}
