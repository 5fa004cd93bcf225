#include "child-agent/counters/process_counters.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "common/time_units.h"
#include "ipc/messages.h"

enum { MEMORY_PERIOD_NS = 20 * NS_PER_MS, STATM_BYTES = 256 };

/* Names and categories that the Firefox Profiler knows have graphs of their own there. */
static struct profd_counter descriptions[PROCESS_COUNTER_TOTAL] = {
    [PROCESS_COUNTER_CPU] = { "processCPU", "CPU", "CPU time of the process, in µs", 0 },
    [PROCESS_COUNTER_MEMORY] = { "processMemory", "Memory",
                                 "resident memory of the process, without pages of files", 0 },
    [PROCESS_COUNTER_VOLUNTARY_SWITCHES] = { "Context switches, voluntary", "Scheduling",
                                             "a thread gave the processor up to wait", 0 },
    [PROCESS_COUNTER_INVOLUNTARY_SWITCHES] = { "Context switches, involuntary", "Scheduling",
                                               "a thread had to give the processor up", 0 },
};

/* Registers COUNTER; counters_index() counts those that there is no room for. */
static void select_counter(struct process_counters *counters, enum process_counter counter)
{
    counters->index[counter] = counters_index(&descriptions[counter]);
}

static bool is_recorded(const struct process_counters *counters, enum process_counter counter)
{
    return counters->index[counter] >= 0;
}

static void add_switches(struct process_counters *counters, int who, int sign)
{
    struct rusage usage;
    if (getrusage(who, &usage) < 0)
        return;
    counters->value[PROCESS_COUNTER_VOLUNTARY_SWITCHES] += sign * usage.ru_nvcsw;
    counters->value[PROCESS_COUNTER_INVOLUNTARY_SWITCHES] += sign * usage.ru_nivcsw;
}

/* Those of the caller, a thread of the agent's, are not the process's own. */
static void read_switches(struct process_counters *counters)
{
    counters->value[PROCESS_COUNTER_VOLUNTARY_SWITCHES] = 0;
    counters->value[PROCESS_COUNTER_INVOLUNTARY_SWITCHES] = 0;
    add_switches(counters, RUSAGE_SELF, 1);
    add_switches(counters, RUSAGE_THREAD, -1);
}

void process_counters_begin(struct process_counters *counters, uint64_t features)
{
    *counters = (struct process_counters){ .memory_fd = -1 };
    for (int i = 0; i < PROCESS_COUNTER_TOTAL; i++)
        counters->index[i] = -1;
    if (features & FEATURE_PROCESS_CPU) {
        select_counter(counters, PROCESS_COUNTER_CPU);
        counters->value[PROCESS_COUNTER_CPU] =
            (int64_t)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / NS_PER_US);
    }
    if (features & FEATURE_SWITCHES) {
        select_counter(counters, PROCESS_COUNTER_VOLUNTARY_SWITCHES);
        select_counter(counters, PROCESS_COUNTER_INVOLUNTARY_SWITCHES);
        add_switches(counters, RUSAGE_SELF, 1);
    }
    if (features & FEATURE_PROCESS_MEMORY)
        select_counter(counters, PROCESS_COUNTER_MEMORY);
}

/* "size resident shared …", in pages. 0 or -1. */
static int read_memory(struct process_counters *counters)
{
    char text[STATM_BYTES];
    /* Not by the C library: no thread of the agent is cancelled. */
    long got = syscall(SYS_pread64, counters->memory_fd, text, sizeof(text) - 1, 0);
    if (got <= 0)
        return -1;
    text[got] = '\0';
    char *next = text;
    (void)strtoll(next, &next, 10);
    long long resident = strtoll(next, &next, 10);
    long long shared = strtoll(next, &next, 10);
    counters->value[PROCESS_COUNTER_MEMORY] = (resident - shared) * getpagesize();
    return 0;
}

static void open_memory(struct process_counters *counters)
{
    counters->memory_fd =
        (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

static void close_memory(struct process_counters *counters)
{
    if (counters->memory_fd >= 0)
        (void)syscall(SYS_close, counters->memory_fd);
    counters->memory_fd = -1;
}

/* Opened when it is first due: a file of /proc makes the end of a short process dearer. */
static void read_own_memory(struct process_counters *counters)
{
    if (counters->memory_fd < 0 && counters->has_own_descriptors)
        open_memory(counters);
    counters->has_no_memory = counters->memory_fd < 0 || read_memory(counters) < 0;
    if (!counters->keeps_file)
        close_memory(counters);
    process_counters_log_missing(counters);
}

void process_counters_log_missing(struct process_counters *counters)
{
    if (!counters->has_no_memory || counters->is_memory_told)
        return;
    counters->is_memory_told = true;
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(),
                             "process memory is not available: /proc/self/statm cannot be read");
}

void process_counters_begin_in_sampler(struct process_counters *counters, bool has_own_descriptors)
{
    counters->has_own_descriptors = has_own_descriptors;
    counters->memory_due_ns = clock_monotonic_ns() + MEMORY_PERIOD_NS;
}

void process_counters_keep_file(struct process_counters *counters)
{
    counters->keeps_file = true;
}

static void read_memory_when_due(struct process_counters *counters)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (now_ns < counters->memory_due_ns)
        return;
    counters->memory_due_ns = now_ns + MEMORY_PERIOD_NS;
    read_own_memory(counters);
}

static void set_cpu(struct process_counters *counters, uint64_t cpu_ns)
{
    int64_t cpu_us = (int64_t)(cpu_ns / NS_PER_US);
    if (cpu_us > counters->value[PROCESS_COUNTER_CPU])
        counters->value[PROCESS_COUNTER_CPU] = cpu_us;
}

void process_counters_read_last(struct process_counters *counters)
{
    set_cpu(counters, clock_read_ns(CLOCK_PROCESS_CPUTIME_ID));
    if (!is_recorded(counters, PROCESS_COUNTER_VOLUNTARY_SWITCHES))
        return;
    counters->value[PROCESS_COUNTER_VOLUNTARY_SWITCHES] = 0;
    counters->value[PROCESS_COUNTER_INVOLUNTARY_SWITCHES] = 0;
    add_switches(counters, RUSAGE_SELF, 1);
}

void process_counters_read_alone(struct process_counters *counters)
{
    process_counters_read_last(counters);
    if (!is_recorded(counters, PROCESS_COUNTER_MEMORY))
        return;
    open_memory(counters);
    counters->has_no_memory = counters->memory_fd < 0 || read_memory(counters) < 0;
    close_memory(counters);
}

void process_counters_read(struct process_counters *counters, uint64_t cpu_ns)
{
    set_cpu(counters, cpu_ns);
    if (is_recorded(counters, PROCESS_COUNTER_VOLUNTARY_SWITCHES))
        read_switches(counters);
    if (is_recorded(counters, PROCESS_COUNTER_MEMORY))
        read_memory_when_due(counters);
}

void process_counters_apply(const struct process_counters *counters, struct counter_total *totals)
{
    for (int i = 0; i < PROCESS_COUNTER_TOTAL; i++)
        if (counters->index[i] >= 0)
            totals[counters->index[i]] = (struct counter_total){ counters->value[i], 0 };
}
