#include "daemon/metrics/metrics_page.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/time_units.h"
#include "daemon/metrics/metric_text.h"

enum metric_unit { COUNT, SECONDS };

/* A family of one line. */
static void put_single_line(FILE *out, enum metric_unit unit, const char *name, const char *type,
                            uint64_t value, const char *help)
{
    metric_family(out, name, type, help);
    (unit == SECONDS ? metric_seconds : metric_count)(out, name, "", value);
}

static void put_gauge(FILE *out, const char *name, uint64_t value, const char *help)
{
    put_single_line(out, COUNT, name, "gauge", value, help);
}

static void put_counter(FILE *out, const char *name, uint64_t value, const char *help)
{
    put_single_line(out, COUNT, name, "counter", value, help);
}

/* --- Groups --- */

/* What a histogram of iterations has. */
struct iterations {
    const char *name, *help;
    uint64_t (*sum_ns)(const struct group_sum *sum);
    const uint64_t *(*within)(const struct group_sum *sum);
};

static uint64_t cpu_ns_of(const struct group_sum *sum)
{
    return sum->cpu_ns;
}

static uint64_t wall_ns_of(const struct group_sum *sum)
{
    return sum->wall_ns;
}

static const uint64_t *cpu_within_of(const struct group_sum *sum)
{
    return sum->cpu_within;
}

static const uint64_t *wall_within_of(const struct group_sum *sum)
{
    return sum->wall_within;
}

static void put_iterations(FILE *out, struct group_totals *totals, const struct iterations *what)
{
    metric_family(out, what->name, "histogram", what->help);
    for (uint32_t i = 0; i < label_sets_count(&totals->labels); i++) {
        const struct group_sum sum = group_totals_tell(totals, i);
        const struct metric_durations durations = { .first_ns = NS_PER_MS,
                                                    .edges = GROUP_THRESHOLDS,
                                                    .within = what->within(&sum),
                                                    .count = sum.ticks,
                                                    .sum_ns = what->sum_ns(&sum) };
        struct metric_labels labels;
        label_sets_get(&totals->labels, i, &labels);
        metric_histogram(out, what->name, labels.text, &durations);
    }
}

static void put_group_seconds(FILE *out, struct group_totals *totals, bool is_running,
                              const char *name, const char *type, const char *help)
{
    metric_family(out, name, type, help);
    for (uint32_t i = 0; i < label_sets_count(&totals->labels); i++) {
        const struct group_sum sum = group_totals_tell(totals, i);
        struct metric_labels labels;
        label_sets_get(&totals->labels, i, &labels);
        metric_seconds(out, name, labels.text,
                       is_running ? group_totals_running_ns(totals, i) : sum.blocked_ns);
    }
}

static void put_groups(FILE *out, struct group_totals *totals)
{
    static const struct iterations cpu = {
        "profd_group_iteration_cpu_seconds",
        "CPU time of iterations in which a group ran; the sum is all of its CPU time.", cpu_ns_of,
        cpu_within_of
    };
    static const struct iterations wall = { "profd_group_iteration_wall_seconds",
                                            "Wall-clock time of iterations in which a group ran.",
                                            wall_ns_of, wall_within_of };

    put_iterations(out, totals, &cpu);
    put_iterations(out, totals, &wall);
    put_group_seconds(out, totals, false, "profd_group_blocked_seconds_total", "counter",
                      "Time in synchronous calls to other processes.");
    put_group_seconds(out, totals, true, "profd_group_running_seconds", "gauge",
                      "How long the current iteration has been running; 0 if none is.");
    put_gauge(out, "profd_group_label_sets_folded", totals->labels.folded_count,
              "Groups reported as \"other\" because there are too many.");
    put_counter(out, "profd_groups_folded_total", totals->folded,
                "Groups that found no room in the table of their process.");
    put_counter(out, "profd_group_measures_cancelled_total", totals->cancelled,
                "Measurements cancelled because a unit was left without profd_unit_leave().");
    put_counter(out, "profd_group_measures_moved_total", totals->moved,
                "Measurements of units that moved to another processor.");
}

/* --- Processes --- */

static void put_ends(FILE *out, const struct metric_labels *program,
                     const struct program_count *count)
{
    for (unsigned end = 0; end < PROCESS_ENDS; end++) {
        struct metric_labels labels = *program;
        const char *name = process_end_name(end);
        metric_labels_add(&labels, "verdict", name, strlen(name));
        metric_count(out, "profd_process_ends_total", labels.text, count->ended[end]);
    }
}

static void put_processes(FILE *out, const struct process_counts *counts)
{
    struct metric_labels labels;
    uint32_t programs = label_sets_count(&counts->programs);

    metric_family(out, "profd_processes", "gauge", "Processes that are running.");
    for (uint32_t i = 0; i < programs; i++) {
        label_sets_get(&counts->programs, i, &labels);
        metric_count(out, "profd_processes", labels.text, process_counts_get(counts, i)->living);
    }
    metric_family(out, "profd_process_ends_total", "counter",
                  "Processes that ended: exited (with 0), failed (with another status), killed, "
                  "execed (became another program), vanished (the reason is not known).");
    for (uint32_t i = 0; i < programs; i++) {
        label_sets_get(&counts->programs, i, &labels);
        put_ends(out, &labels, process_counts_get(counts, i));
    }
    put_gauge(out, "profd_process_label_sets_folded", counts->programs.folded_count,
              "Programs reported as \"other\" because there are too many.");
}

/* --- profd --- */

static void put_memory(FILE *out, const struct metrics_view *view)
{
    put_gauge(out, "profd_memory_limit_bytes", view->limit_bytes,
              "Bytes that the recordings of all processes may use together.");
    put_gauge(out, "profd_memory_leased_bytes", view->leased_bytes,
              "Bytes of the memory limit that are in use.");
    put_gauge(out, "profd_memory_accounted_bytes", view->accounted_bytes,
              "Bytes that processes report as recorded.");
    put_gauge(out, "profd_memory_kernel_bytes", view->kernel_bytes,
              "Bytes of recordings that are resident, as the kernel counts them.");
    put_gauge(out, "profd_exit_profiles", view->exit_profiles,
              "Profiles of ended processes that are kept.");
    put_gauge(out, "profd_exit_profile_bytes", view->exit_profile_bytes,
              "Bytes of the profiles of ended processes that are kept.");
    put_gauge(
        out, "profd_exit_profiles_expired", view->exit_profiles_expired,
        "Profiles of ended processes that this session dropped to stay within the memory limit.");
    put_gauge(out, "profd_exit_profiles_failed", view->exit_profiles_failed,
              "Profiles of ended processes that this session could not save.");
}

static void put_session(FILE *out, const struct metrics_view *view)
{
    put_gauge(out, "profd_session_active", view->is_session_on, "Whether a session is on.");
    put_gauge(out, "profd_session_produced_blocks", view->produced_blocks,
              "Samples, markers and other records of the session.");
    put_gauge(out, "profd_session_produced_bytes", view->produced_bytes,
              "Bytes of the session's records.");
    put_gauge(out, "profd_session_dropped_blocks", view->dropped_blocks,
              "Records of the session that were dropped to stay within the memory limit.");
    put_gauge(out, "profd_session_dropped_bytes", view->dropped_bytes,
              "Bytes of the dropped records.");
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

static uint64_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t open_descriptors(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");

    if (folder == NULL)
        return 0;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count > 3 ? count - 3 : 0; /* itself, "." and ".." */
}

/* Under the names that Prometheus' own libraries use for it. */
static void put_own_process(FILE *out, uint64_t start_unix_ns)
{
    struct rusage usage = { 0 };
    struct rlimit limit = { 0 };

    (void)getrusage(RUSAGE_SELF, &usage);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    put_single_line(out, SECONDS, "process_cpu_seconds_total", "counter",
                    ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime), "CPU time of profd.");
    put_gauge(out, "process_resident_memory_bytes", resident_bytes(), "Memory of profd.");
    put_gauge(out, "process_open_fds", open_descriptors(), "Open descriptors of profd.");
    put_gauge(out, "process_max_fds", limit.rlim_cur,
              "Maximum number of open descriptors of profd.");
    put_single_line(out, SECONDS, "process_start_time_seconds", "gauge", start_unix_ns,
                    "When profd started, in seconds since 1970.");
}

static void put_health(FILE *out, const struct metrics_view *view)
{
    struct metric_labels labels = { 0 };

    metric_labels_add(&labels, "version", view->version, strlen(view->version));
    metric_family(out, "profd_info", "gauge", "Which profd this is.");
    metric_count(out, "profd_info", labels.text, 1);
    put_gauge(out, "profd_agents_connected", view->agents, "Agents with a connection.");
    put_gauge(out, "profd_clients_connected", view->clients, "Clients, profctl among them.");
    put_counter(
        out, "profd_process_news_lost_total", view->lost_news,
        "Process events lost: not read in time, or without the descriptor that says of whom.");
    put_counter(out, "profd_metrics_pages_total", view->pages_made,
                "Metrics pages that were made before this one.");
    put_own_process(out, view->start_unix_ns);
}

int metrics_page_make(const struct metrics_view *view, char **out, size_t *bytes)
{
    FILE *page = open_memstream(out, bytes);

    if (page == NULL)
        return -ENOMEM;
    put_groups(page, view->groups);
    put_processes(page, view->processes);
    put_memory(page, view);
    put_session(page, view);
    put_health(page, view);
    bool has_failed = ferror(page) != 0;
    if (fclose(page) == 0 && !has_failed)
        return 0;
    free(*out);
    *out = NULL;
    return -ENOMEM;
}
