#include "profctl/arguments/option_list.h"

#include <stddef.h>

#include "common/output_pattern.h"
#include "profctl/arguments/arguments.h"

#define CLOCKS_HELP                                                                                \
    " cpu   each thread by the CPU time that it uses, at the kernel's tick\n"                      \
    " perf  the same by perf events, at any interval; costs more\n"                                \
    " wall  by real time, including waiting threads\n"                                             \
    " auto  cpu; a process that cannot have the clock falls back to another"

#define TRIGGERS_HELP                                                                              \
    " signal            a process is killed by a signal\n"                                         \
    " exit              a process exits with a status other than 0\n"                              \
    " marker:NAME:TIME  an interval marker NAME lasts longer than TIME\n"                          \
    " jank:TIME         a performance group uses more CPU time in an iteration,\n"                 \
    "                   or jank:RULE as in 'profctl groups --alert RULE'\n"                        \
    " delay:TIME        an event loop takes longer for an iteration\n"                             \
    " cpu:80%/10s       a process uses this much of a processor for this long\n"                   \
    " name:NAME         profctl trigger NAME\n"                                                    \
    " SIGUSR2           profd receives that signal"

#define AT(field) offsetof(struct arguments, field)

static const struct option_row rows[] = {
    { OPTIONS_SESSION, "interval", 'i', "TIME", OPTION_INTERVAL, AT(interval_ns),
      "time between samples: us, ms, s (default: 1ms)" },
    { OPTIONS_SESSION, "rate", 'r', "HZ", OPTION_RATE, AT(interval_ns),
      "samples per second: --rate 1000 is --interval 1ms" },
    { OPTIONS_SESSION, "clock", 'c', "CLOCK", OPTION_CLOCK, AT(clock),
      "what takes samples (default: auto):\n" CLOCKS_HELP },
    { OPTIONS_SESSION, "duration", 'd', "TIME", OPTION_SECONDS_MS, AT(duration_ms),
      "pause the session automatically after TIME" },
    { OPTIONS_SESSION, "features", 'f', "LIST", OPTION_FEATURES, AT(features),
      "what to record, comma-separated:" },
    { OPTIONS_SESSION, "threads", 't', "FILTERS", OPTION_FILTERS, AT(threads),
      "only threads with one of FILTERS in their names, comma-separated; pid:PID for a process" },
    { OPTIONS_SESSION, "memory-limit", 'm', "SIZE", OPTION_SIZE, AT(memory_limit_bytes),
      "memory for what all processes record together, e.g. 64M or 2G" },
    { OPTIONS_SESSION, "alloc-interval", 0, "SIZE", OPTION_DISTANCE, AT(allocation_interval_bytes),
      "nativeallocs: bytes from one sampled allocation to the next (default: 512K)" },
    { OPTIONS_TRIGGER, "trigger", 0, "WHAT", OPTION_TRIGGER, 0,
      "write a capture automatically when this happens; may be repeated:\n" TRIGGERS_HELP },
    { OPTIONS_PATTERN, "output", 'o', "PATTERN", OPTION_TEXT, AT(pattern),
      "name of the trigger files; %p pid, %t time, %e event, %n number "
      "(default: " OUTPUT_PATTERN_DEFAULT ")" },
    { OPTIONS_RUN, "trigger-output", 0, "PATTERN", OPTION_TEXT, AT(pattern),
      "name of the trigger files; %p pid, %t time, %e event, %n number "
      "(default: " OUTPUT_PATTERN_DEFAULT ")" },
    { OPTIONS_RUN, "open", 0, NULL, OPTION_FLAG, AT(open),
      "show the capture in the browser when it is written, as profctl view does" },
    { OPTIONS_PATTERN, "last", 'l', "TIME", OPTION_REACH, AT(trigger_last_ms),
      "how much of the time before the event these files cover, or all (default: 10s)" },
    { OPTIONS_RUN, "trigger-last", 0, "TIME", OPTION_REACH, AT(trigger_last_ms),
      "how much of the time before the event these files cover, or all (default: 10s)" },
    { OPTIONS_TRIGGER, "max-files", 0, "N", OPTION_COUNT, AT(max_files),
      "keep only the N newest of these files (default: 10)" },
    { OPTIONS_OUTPUT, "output", 'o', "FILE", OPTION_TEXT, AT(output),
      "file to write: .json, .json.gz, or .profd, which is written quickly and read by all "
      "commands (default: profile.json.gz)" },
    { OPTIONS_CONVERT, "output", 'o', "FILE", OPTION_TEXT, AT(converted),
      "file to write; its ending chooses the format, and .gz compresses it; .json is the format of "
      "captures" },
    { OPTIONS_CONVERT, "format", 0, "FORMAT", OPTION_TEXT, AT(format),
      "html, collapsed, speedscope, pprof, callgrind, trace, cpuprofile, processed or jslb, "
      "whatever the ending" },
    { OPTIONS_CONVERT, "thread", 0, "THREAD", OPTION_TEXT, AT(thread),
      "only this thread: its number, PID-TID, its name, or 'app (17): main thread'" },
    { OPTIONS_CONVERT, "merge-exited", 0, NULL, OPTION_FLAG, AT(merge_exited),
      "processed, jslb, trace: let all processes that exited share the tracks of their programs" },
    { OPTIONS_CONVERT, "no-merge-exited", 0, NULL, OPTION_FLAG, AT(no_merge_exited),
      "processed, jslb, trace: leave each process its own track (default: only the first 200 that "
      "exited)" },
    { OPTIONS_MERGE, "output", 'o', "FILE", OPTION_TEXT, AT(merged),
      "file to write: .json or .json.gz" },
    { OPTIONS_MERGE, "host", 0, "NAMES", OPTION_TEXT, AT(hosts),
      "names of the hosts, comma-separated, in the order of the files (default: the files' "
      "names)" },
    { OPTIONS_MERGE, "offset", 0, "LIST", OPTION_TEXT, AT(offsets),
      "corrections of clocks, comma-separated: HOST:TIME or NUMBER:TIME, e.g. web2:-250ms" },
    { OPTIONS_FILE, "output", 'o', "FILE", OPTION_TEXT, AT(output),
      "file to write: .json or .json.gz (default: in place of FILE)" },
    { OPTIONS_OUTPUT, "timeout", 0, "TIME", OPTION_SECONDS_MS, AT(timeout_ms),
      "wait at most TIME for the profiles of the processes (default: 10s)" },
    { OPTIONS_OUTPUT, "no-symbols", 0, NULL, OPTION_FLAG, AT(no_symbols),
      "leave addresses unnamed; profctl symbolicate can name them later" },
    { OPTIONS_OUTPUT | OPTIONS_FILE | OPTIONS_CONVERT | OPTIONS_VIEW | OPTIONS_CALLS | OPTIONS_TOP,
      "debuginfod", 0, NULL, OPTION_FLAG, AT(debuginfod),
      "fetch debug information from the servers of $DEBUGINFOD_URLS" },
    { OPTIONS_OUTPUT, "strict", 0, NULL, OPTION_FLAG, AT(strict),
      "exit with status 4 if the capture is incomplete" },
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
      "cpu, samples, name or pid: order of the processes (default: cpu)" },
    { OPTIONS_TOP, "tree", 0, NULL, OPTION_FLAG, AT(tree),
      "print a call tree instead; with --pid or --process, of those processes only" },
    { OPTIONS_TOP, "once", '1', NULL, OPTION_FLAG, AT(once), "print once and exit" },
    { OPTIONS_PAUSE, "sampling", 0, NULL, OPTION_FLAG, AT(sampling),
      "only samples and counters; markers are not affected" },
    { OPTIONS_STATUS, "watch", 'w', NULL, OPTION_FLAG, AT(watch),
      "print it every second until interrupted" },
    { OPTIONS_REPORT, "top", 'n', "N", OPTION_COUNT, AT(top),
      "functions to show for each thread (default: 10)" },
    { OPTIONS_CALLS, "by", 'b', "WHAT", OPTION_TEXT, AT(table),
      "function, line, label, thread, process, program, marker or counter: print one table by "
      "this" },
    { OPTIONS_CALLS, "no-pager", 0, NULL, OPTION_FLAG, AT(no_pager),
      "do not show the report through $PAGER on a terminal" },
    { OPTIONS_CALLS, "calls", 'C', NULL, OPTION_FLAG, AT(calls),
      "print the longest calls, and how long those of each function take" },
    { OPTIONS_CALLS | OPTIONS_QUERY, "tree", 0, NULL, OPTION_FLAG, AT(tree),
      "print the call tree of each program and thread" },
    { OPTIONS_CALLS | OPTIONS_QUERY, "callers", 0, NULL, OPTION_FLAG, AT(callers),
      "print the tree from where the time was spent up to the callers" },
    { OPTIONS_CALLS | OPTIONS_QUERY, "fold-recursion", 0, NULL, OPTION_FLAG, AT(fold_recursion),
      "in a tree: merge recursive calls of a function" },
    { OPTIONS_CALLS, "processes", 0, NULL, OPTION_FLAG, AT(by_process),
      "print processes by program: how many, how long, and the slowest of each" },
    { OPTIONS_CALLS, "missing-symbols", 0, NULL, OPTION_FLAG, AT(missing_symbols),
      "print libraries with unnamed addresses, and where their files were looked for" },
    { OPTIONS_DIFF, "diff", 'D', "BEFORE", OPTION_TEXT, AT(before),
      "show what has changed in each function since BEFORE, another profile" },
    { OPTIONS_DIFF | OPTIONS_QUERY, "shares", 0, NULL, OPTION_FLAG, AT(shares),
      "compare shares of all CPU time, for runs that did not do the same work" },
    { OPTIONS_REPORT | OPTIONS_DIFF, "all", 'a', NULL, OPTION_FLAG, AT(all),
      "count idle samples too, not only those in which the thread ran" },
    { OPTIONS_GROUPS, "by", 'b', "WHAT", OPTION_ROWS, AT(by),
      "group, process or thread: what each line stands for (default: group)" },
    { OPTIONS_GROUPS, "sort", 'S', "WHAT", OPTION_ORDER, AT(order),
      "cpu, wall, blocked, ticks or jank: sort by this, the most first (default: cpu)" },
    { OPTIONS_GROUPS, "filter", 0, "FILTER", OPTION_TEXT, AT(filter),
      "only matching groups, e.g. kind=tenant,name=blue,process=server" },
    { OPTIONS_GROUPS, "measure", 0, "LIST", OPTION_MEASURES, AT(measures),
      "cpu, jank, blocked or ticks: ask only for these, comma-separated (default: all)" },
    { OPTIONS_GROUPS, "units", 'u', NULL, OPTION_FLAG, AT(units),
      "also measure groups of a single unit" },
    { OPTIONS_GROUPS, "for", 0, "TIME", OPTION_SECONDS_MS, AT(period_ms),
      "how long to measure if groups are not being measured yet (default: 1s)" },
    { OPTIONS_GROUPS, "watch", 'w', "TIME", OPTION_SECONDS_MS, AT(every_ms),
      "every TIME, print what has happened since the last time, until interrupted" },
    { OPTIONS_GROUPS, "alert", 'A', "RULE", OPTION_TEXT, AT(alert),
      "print only iterations that break RULE, e.g. cpu>64ms,kind=tenant, until interrupted" },
    { OPTIONS_GROUPS, "top", 'n', "N", OPTION_COUNT, AT(top), "lines to show (default: 10)" },
    { OPTIONS_VIEW, "port", 0, "PORT", OPTION_PORT, AT(port),
      "port of 127.0.0.1 to serve at (default: a free one)" },
    { OPTIONS_VIEW, "idle", 0, "TIME", OPTION_SECONDS_MS, AT(idle_ms),
      "exit when no browser has made a request for TIME (default: 1h)" },
    { OPTIONS_VIEW, "no-browser", 0, NULL, OPTION_FLAG, AT(no_browser),
      "only print the addresses" },
    { OPTIONS_EXPORT, "every", 0, "TIME", OPTION_SECONDS_MS, AT(export_every_ms),
      "time that one row covers, 1s to 1h (default: 1m)" },
    { OPTIONS_EXPORT, "spool", 0, "DIR", OPTION_TEXT, AT(spool),
      "directory for rows that are not yet sent (default: profd/spool in $STATE_DIRECTORY or "
      "$XDG_STATE_HOME)" },
    { OPTIONS_EXPORT, "spool-limit", 0, "SIZE", OPTION_SIZE, AT(spool_limit_bytes),
      "limit of the spool; beyond it the oldest rows are dropped and counted (default: 256M)" },
    { OPTIONS_EXPORT, "label", 0, "LABELS", OPTION_TEXTS, AT(labels),
      "KEY=VALUE, comma-separated: service, version, zone, host …; may be repeated" },
    { OPTIONS_EXPORT, "label-file", 0, "FILE", OPTION_TEXT, AT(label_file),
      "file with labels, as written by Kubernetes' downward API" },
    { OPTIONS_EXPORT | OPTIONS_QUERY, "timeout", 0, "TIME", OPTION_SECONDS_MS,
      AT(server_timeout_ms), "how long the server may take to answer (default: 20s; query: 2m)" },
    { OPTIONS_QUERY, "from", 0, "TIME", OPTION_TEXT, AT(from),
      "start of the slice: -1h, or 2026-01-31 14:00 in UTC (default: -1h)" },
    { OPTIONS_QUERY, "to", 0, "TIME", OPTION_TEXT, AT(to), "end of the slice (default: now)" },
    { OPTIONS_QUERY, "service", 0, "NAME", OPTION_TEXT, AT(service), "only this service" },
    { OPTIONS_QUERY, "host", 0, "NAME", OPTION_TEXT, AT(host), "only this host" },
    { OPTIONS_QUERY, "where", 'w', "KEY=VALUE", OPTION_TEXTS, AT(wheres),
      "only rows with this label, version, program, build_id, kind or thread; may be repeated" },
    { OPTIONS_QUERY, "diff", 'D', "KEY=VALUE", OPTION_TEXT, AT(compared),
      "compare two slices: --diff version=A URL version=B" },
    { OPTIONS_QUERY, "jank", 0, NULL, OPTION_FLAG, AT(jank),
      "show where events blocked others for 50 ms or more, instead of CPU time" },
    { OPTIONS_QUERY, "output", 'o', "FILE", OPTION_TEXT, AT(query_output),
      "write a capture (.json, .json.gz), or any format of profctl convert, instead of a report" },
    { OPTIONS_GLOBAL, "socket", 's', "PATH", OPTION_TEXT, AT(socket),
      "profd's socket (default: $PROFD_SOCKET, or profd.sock in $XDG_RUNTIME_DIR)" },
    { OPTIONS_GLOBAL, "json", 'j', NULL, OPTION_FLAG, AT(json), "print results as JSON" },
    { OPTIONS_GLOBAL, "quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only errors" },
    { OPTIONS_GLOBAL, "help", 'h', NULL, OPTION_FLAG, AT(help), "print this help" },
    { OPTIONS_GLOBAL, "version", 'V', NULL, OPTION_FLAG, AT(version), "print the version" },
};

enum { ROW_TOTAL = sizeof(rows) / sizeof(rows[0]) };
_Static_assert((int)ROW_TOTAL <= (int)OPTION_TABLE_MAX_ROWS, "a table has room for so many");

struct option_table option_list(unsigned sets)
{
    return (struct option_table){ rows, ROW_TOTAL, sets };
}
