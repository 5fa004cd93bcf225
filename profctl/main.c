/* profctl and profctl-http: the table of commands, and the way from the command line to one of
 * them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/standard_streams.h"
#include "common/suggest.h"
#include "ipc/build_facts.h"
#include "profctl/commands/commands.h"
#include "profctl/merge/merge_plan.h"
#include "profctl/symbols/debug_files.h"

struct command {
    const char *name, *alias; /* alias NULL: none */
    const char *synopsis;     /* behind the name */
    const char *summary;
    const char *help;               /* more lines, or NULL */
    unsigned options;               /* enum option_set */
    int min_operands, max_operands; /* operands */
    bool takes_command;             /* the first operand begins another program's command line */
    int (*run)(const struct arguments *arguments, struct failure *failure);
};

static const char run_help[] =
    "COMMAND runs under a profd of its own, which follows its forks and execs. The exit status\n"
    "is the command's own (128 + N for signal N; 127: not found, 126: cannot be run). If no\n"
    "profd can be started, the command runs without being profiled; with --strict it does not\n"
    "start.\n";

static const char capture_help[] =
    "Exits with 0 and a warning if the capture is incomplete, or with 4 under --strict.\n"
    "--json prints { \"file\", \"processes\", \"threads\", \"samples\", \"markers\", \"named\",\n"
    "\"unnamed\", \"complete\", \"missing\" }; named and unnamed count addresses.\n";

static const char report_help[] =
    "Processes of one name count together, and so do their threads of one name. A function's\n"
    "self samples are those in which it ran; its total includes what it called. If the profile\n"
    "has CPU times, they decide the order: a sample stands for the CPU time that its thread has\n"
    "used since the one before; anything beyond one tick of its clock is spread over the\n"
    "thread's samples of the same second. Percentages are of the CPU time of all processes; time\n"
    "that no sample covers is \"(not sampled)\". Processes that were not profiled, and those\n"
    "that ended abnormally, are listed last. With --all, and without CPU times, the number of\n"
    "samples decides.\n"
    "--json prints { \"file\", \"rankedBy\", \"orderedBy\", \"processes\", SIZE,\n"
    "\"notProfiledMs\", \"lostBlocks\", \"clocks\": [ { \"clock\", \"processes\",\n"
    "\"shortestIntervalMs\", \"longestIntervalMs\", \"refused\" } ], \"groups\": [ {\n"
    "\"process\", \"processes\", SIZE, \"threads\": [ { \"thread\", \"threads\", SIZE,\n"
    "\"functions\": [ { \"function\", \"library\", \"self\", \"total\", \"selfMs\", \"totalMs\"\n"
    "} ] } ] } ], \"notProfiled\": [ { \"process\", \"reason\", \"processes\", \"unknown\",\n"
    "\"cpuMs\" } ], \"ends\": [ { \"process\", \"verdict\", \"code\", \"signal\", \"processes\"\n"
    "} ] }, where SIZE is \"samples\", \"activeSamples\", \"cpuMs\", \"notSampledMs\"; rankedBy\n"
    "says which samples self and total count, orderedBy (\"cpuMs\" or \"samples\") what comes\n"
    "first; Ms is CPU time. clocks are what took the samples; refused says why it is not the one\n"
    "that was requested.\n"
    "--calls prints calls as inferred from the samples: a call lasts as long as its frame stays\n"
    "in the same place of the stack, and ends when the thread sleeps. With --json: { \"file\",\n"
    "\"calls\", \"longest\": [ { \"function\", \"thread\", \"startMs\", \"durationMs\",\n"
    "\"selfMs\" } ], \"functions\": [ { \"function\", \"calls\", \"totalMs\", \"medianMs\",\n"
    "\"p99Ms\", \"longestMs\" } ] }.\n"
    "--tree and --callers print { \"file\", \"direction\", \"samples\", \"cpuMs\", \"nodes\": [\n"
    "{ \"name\", \"parent\", \"self\", \"selfMs\", \"total\", \"totalMs\" } ] }, where parent is\n"
    "the index of another node in the list, or null.\n"
    "--processes prints { \"file\", \"processes\", \"programs\": [ { \"program\", \"processes\",\n"
    "\"ended\", \"cpuMs\", \"medianMs\", \"p99Ms\", \"longestMs\", \"slowest\": [ { \"pid\",\n"
    "\"command\", \"startMs\", \"wallMs\", \"cpuMs\", \"verdict\", \"code\" } ] } ] }.\n"
    "--by function, line, label, thread, process and program print { \"file\", \"by\",\n"
    "\"orderedBy\", \"samples\", \"cpuMs\", \"count\", \"rows\": [ { \"name\", \"self\",\n"
    "\"selfMs\", \"total\", \"totalMs\" } ] }; --by marker prints rows of { \"name\",\n"
    "\"markers\", \"instants\", \"totalMs\", \"medianMs\", \"p99Ms\", \"longestMs\", \"cpuMs\"\n"
    "}, --by counter rows of { \"name\", \"category\", \"processes\", \"changes\", \"sum\",\n"
    "\"perSecond\", \"highest\" }.\n"
    "--missing-symbols prints { \"file\", \"libraries\": [ { \"library\", \"path\", \"buildId\",\n"
    "\"total\", \"self\", \"totalMs\", \"selfMs\", \"lookedFor\": [ { \"path\", \"found\" } ] }\n"
    "] }.\n"
    "--diff BEFORE compares FILE with BEFORE by function, over all processes: by CPU time, which\n"
    "is best if both did the same work, or with --shares by the share of all sampled CPU time.\n"
    "Differences in the number of samples are tested; those that may be mere chance are marked\n"
    "~. With --json: { \"before\": PROFILE, \"after\": PROFILE, \"amountsOf\", \"compared\",\n"
    "\"test\", \"level\", \"comparisons\", \"functions\": [ { \"function\", \"library\", \"in\",\n"
    "\"self\": CHANGE, \"total\": CHANGE } ] }, where PROFILE is { \"file\", \"processes\",\n"
    "\"samples\", \"sampledMs\", \"notSampledMs\", \"notProfiledMs\" } and CHANGE {\n"
    "\"beforeMs\", \"afterMs\", \"beforeSamples\", \"afterSamples\", \"beforeShare\",\n"
    "\"afterShare\", \"change\", \"probability\", \"significant\" }; in is both, before or\n"
    "after, change is in ms or of the share, and probability is that of chance, null if there\n"
    "are too few samples.\n";

static const char symbolicate_help[] =
    "For profiles that PROFD_SHUTDOWN or --no-symbols wrote, on the machine where they were\n"
    "made.\n"
    "--json prints what profctl capture prints.\n";

static const char convert_help[] =
    ".html            a page for a browser, which needs nothing else: time line, flame graph,\n"
    "                 functions, calls, markers; ? lists its keys; with --diff, what has changed\n"
    ".collapsed       collapsed stacks for flamegraph.pl: process;thread;function... and\n"
    "                 microseconds of CPU time\n"
    ".speedscope.json for speedscope.app: CPU time of each thread\n"
    ".pb              for pprof, with labels for process and thread; .pb.gz as usual\n"
    ".callgrind       for kcachegrind and callgrind_annotate\n"
    ".trace.json      Chrome's trace events, for Perfetto and DevTools: the calls of each thread,\n"
    "                 as inferred from the samples, markers, flows and counters\n"
    ".cpuprofile      for DevTools and editors: one thread, or one file for each thread\n"
    ".processed.json  the Firefox Profiler's own format; .jslb: its container for large profiles\n";

static const char merge_help[] =
    "Times are those of the machines' wall clocks; --offset corrects one that is known to be\n"
    "wrong: TIME is added to its times. Processes are called \"HOST: NAME\", and get other ids\n"
    "if two captures share one. The captures themselves are not changed, and may be larger than\n"
    "memory.\n";

static const char view_help[] =
    "Serves two views of the profile to browsers on this machine: a page of profd's own, and the\n"
    "profile in the Firefox Profiler, to which this command gives the names, sources and machine\n"
    "code of addresses (of profiles that were written with --no-symbols). The URLs contain a\n"
    "secret: whoever knows them can read the profile. Exits on Ctrl-C, or when no browser has\n"
    "made a request for a while.\n"
    "--json prints { \"page\", \"firefoxProfiler\" }.\n";

static const char export_help[] =
    "URL is clickhouse://[USER[:PASSWORD-FILE]@]HOST[:PORT]/DATABASE, with\n"
    "?cluster=NAME&days=N&hour_days=N&ca_file=PATH, or clickhouse+https: days says how long\n"
    "minutes are kept (default: 7), hour_days how long sums by hour are (default: 90). Or it is\n"
    "KIND+http://HOST[:PORT][/PREFIX][?token_file=PATH&ca_file=PATH&tenant=NAME], or +https,\n"
    "where KIND is pyroscope, parca or otlp (profiles of OTLP 1.11, v1development). Runs until\n"
    "interrupted. What the session records is sent every minute, by program, build id, version,\n"
    "thread and stack; while the server is away it waits in the spool. Labels also come from\n"
    "$PROFD_LABELS, of this command or of a profiled process, and from its systemd unit or pod.\n";

static const char query_help[] =
    "URL is that of profctl export. Prints a report of what all hosts have exported, or writes\n"
    "it to a file: a capture with a process for each program, or any format of profctl convert.\n"
    "Without --host, whole hours come from sums by hour. With --diff, the second slice follows\n"
    "URL. Samples in such a capture have no times, and threads of one name are one thread.\n";

static const char status_help[] = "--json prints profd's status document, one line each time.\n";

static const char top_help[] =
    "Shows every two seconds, for all processes that profd knows, what was recorded in the last\n"
    "two (--last): the processes in the order of --sort, and the functions of all. Self samples\n"
    "are those in which the function ran; its total includes what it called.\n"
    "--json prints a report each time, one line, as profctl report does.\n";

static const char groups_help[] =
    "Groups are what the program says they are: tenants, add-ons, handlers (profd_groups.h).\n"
    "Where there are none, and with --by process or --by thread, threads are shown; profd\n"
    "recognizes their event loops by the calls in which they wait. CPU time, time on the wall\n"
    "and time blocked in other processes are of all iterations; longest is the CPU time of one.\n"
    "No session is needed. If no groups are being measured yet, this command measures for one\n"
    "second (--for).\n"
    "--json prints { \"periodMs\", \"processes\", \"forgotten\", \"unmeasured\", \"folded\",\n"
    "\"cancelled\", \"moved\", \"groups\": [ { \"kind\", \"name\", \"id\", \"system\", \"unit\",\n"
    "\"thread\", \"pid\", \"process\", \"verdict\", \"code\", \"merged\", \"ticks\", \"cpuMs\",\n"
    "\"wallMs\", \"blockedMs\", \"unattributedMs\", \"runningMs\", \"cpuExceeded\",\n"
    "\"wallExceeded\" } ] }, one line each time; periodMs is 0 if the values count from the\n"
    "start of monitoring, and Exceeded counts iterations above 1, 2, 4 ... 512 ms.\n";

static const struct command commands[] = {
    { "start", NULL, "", "start a session in all processes that profd knows", NULL,
      OPTIONS_SESSION | OPTIONS_TRIGGER | OPTIONS_PATTERN, 0, 0, false, command_start },
    { "stop", NULL, "", "end the session and discard what it recorded", NULL, 0, 0, 0, false,
      command_stop },
    { "pause", NULL, "", "pause recording and keep what was recorded", NULL, OPTIONS_PAUSE, 0, 0,
      false, command_pause },
    { "resume", NULL, "", "resume recording", NULL, OPTIONS_PAUSE, 0, 0, false, command_resume },
    { "status", NULL, "", "show the session and the processes in it", status_help, OPTIONS_STATUS,
      0, 0, false, command_status },
    { "capture", NULL, "", "write what the session recorded to a file", capture_help,
      OPTIONS_OUTPUT | OPTIONS_CAPTURE | OPTIONS_LAST | OPTIONS_SELECT | OPTIONS_SELECT_THREADS, 0,
      0, false, command_capture },
    { "top", NULL, "", "show processes and their hottest functions, refreshed every two seconds",
      top_help, OPTIONS_TOP | OPTIONS_LAST | OPTIONS_REPORT | OPTIONS_SELECT, 0, 0, false,
      command_top },
    { "groups", NULL, "", "show what performance groups cost, in all processes", groups_help,
      OPTIONS_GROUPS, 0, 0, false, command_groups },
    { "trigger", NULL, "NAME", "write the capture of a trigger name:NAME now", NULL, 0, 1, 1, false,
      command_trigger },
    { "run", "record", "-- COMMAND …", "profile a command with everything that it starts", run_help,
      OPTIONS_OUTPUT | OPTIONS_SESSION | OPTIONS_TRIGGER | OPTIONS_RUN, 1, INT32_MAX, true,
      command_run },
    { "report", NULL, "FILE", "print the hottest functions of a profile", report_help,
      OPTIONS_REPORT | OPTIONS_CALLS | OPTIONS_DIFF, 1, 1, false, command_report },
    { "convert", NULL, "FILE", "convert a profile to the format of another tool", convert_help,
      OPTIONS_CONVERT | OPTIONS_DIFF, 1, 1, false, command_convert },
    { "merge", NULL, "FILE FILE …", "merge captures of several machines or runs onto one time line",
      merge_help, OPTIONS_MERGE, 2, MERGE_MAX_SOURCES, false, command_merge },
    { "view", NULL, "FILE", "show a profile in the browser", view_help, OPTIONS_VIEW | OPTIONS_DIFF,
      1, 1, false, command_view },
    { "export", NULL, "URL", "send what a session records to a server, minute by minute",
      export_help, OPTIONS_EXPORT, 1, 1, false, command_export },
    { "query", NULL, "URL", "report on what hosts have exported", query_help,
      OPTIONS_QUERY | OPTIONS_REPORT, 1, 2, false, command_query },
    { "symbolicate", NULL, "FILE", "name the addresses of a profile", symbolicate_help,
      OPTIONS_FILE, 1, 1, false, command_symbolicate },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* --- Help --- */

static void print_help(void)
{
    printf("Usage: profctl [--socket PATH] [--json] COMMAND …\n\n"
           "Profiles programs made of many processes.\n\nCommands:\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-11s  %s\n", commands[i].name, commands[i].summary);
    printf("\nOptions:\n");
    arguments_print_options(stdout, OPTIONS_GLOBAL);
    printf("\nprofctl COMMAND --help has more. Exit status: 0 success, 1 failure, 2 usage error,\n"
           "3 profd cannot be reached, 4 incomplete capture with --strict.\n");
}

static void print_command_help(const struct command *command)
{
    printf("Usage: profctl %s%s%s%s\n\n", command->name, command->options != 0 ? " [OPTIONS]" : "",
           command->synopsis[0] != '\0' ? " " : "", command->synopsis);
    printf("%c%s.%s%s\n", command->summary[0] & ~0x20, command->summary + 1,
           command->alias != NULL ? " Alias: " : "", command->alias != NULL ? command->alias : "");
    if (command->help != NULL)
        printf("\n%s", command->help);
    printf("\nOptions:\n");
    arguments_print_options(stdout, command->options);
    arguments_print_options(stdout, OPTIONS_GLOBAL);
}

/* --- From words to a command --- */

static const struct command *find_command(const char *word)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, word) == 0 ||
            (commands[i].alias != NULL && strcmp(commands[i].alias, word) == 0))
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *word, struct failure *failure)
{
    const char *names[2 * COMMANDS], *meant;
    size_t count = 0;

    for (int i = 0; i < COMMANDS; i++) {
        names[count++] = commands[i].name;
        if (commands[i].alias != NULL)
            names[count++] = commands[i].alias;
    }
    meant = suggest_nearest(word, names, count);
    return (int)failure_set(failure, EXIT_CODE_USAGE,
                            "unknown command '%s'%s%s%s; see profctl --help", word,
                            meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

static int check_operands(const struct command *command, const struct arguments *arguments,
                          struct failure *failure)
{
    if (arguments->operand_count < command->min_operands)
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "%s: missing operand; usage: profctl %s %s", command->name,
                                command->name, command->synopsis);
    if (arguments->operand_count > command->max_operands)
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "%s does not take '%s'; see profctl %s --help", command->name,
                                arguments->operands[command->max_operands], command->name);
    return EXIT_CODE_SUCCESS;
}

static int allow_servers(const struct arguments *arguments, struct failure *failure)
{
    bool shows_progress = !arguments->quiet && isatty(STDERR_FILENO);

    switch (arguments->debuginfod ? debug_files_allow_servers(shows_progress) : 0) {
    case -EDESTADDRREQ:
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "--debuginfod: no server is named in DEBUGINFOD_URLS");
    case -ELIBACC:
        return (int)failure_set(failure, EXIT_CODE_FAILED,
                                "--debuginfod: cannot load libdebuginfod; install libdebuginfod1");
    default:
        return EXIT_CODE_SUCCESS;
    }
}

/* WORDS are those behind the command's name. */
static int run_command(const struct command *command, struct arguments *arguments, int count,
                       char **words, struct failure *failure)
{
    int code;

    if (!arguments_parse(arguments, count, words, command->options | OPTIONS_GLOBAL,
                         command->takes_command, command->name, failure))
        return (int)failure->code;
    if (arguments->help) {
        print_command_help(command);
        return EXIT_CODE_SUCCESS;
    }
    code = check_operands(command, arguments, failure);
    if (code == EXIT_CODE_SUCCESS)
        code = allow_servers(arguments, failure);
    return code != EXIT_CODE_SUCCESS ? code : command->run(arguments, failure);
}

/* COMMAND_LINE is a copy of all words, since those are put in another order. */
static int dispatch_command(int count, char **words, char *const *command_line,
                            struct failure *failure)
{
    struct arguments arguments;
    const struct command *command;

    arguments_init(&arguments);
    arguments.command_line = command_line;
    if (!arguments_parse(&arguments, count, words, OPTIONS_GLOBAL, true, NULL, failure))
        return (int)failure->code;
    if (arguments.version) {
        if (build_facts_print(stdout, "profctl") < 0)
            return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot write to standard output");
        return EXIT_CODE_SUCCESS;
    }
    if (arguments.operand_count == 0 && !arguments.help)
        return (int)failure_set(failure, EXIT_CODE_USAGE, "no command given; see profctl --help");
    if (arguments.operand_count == 0 || strcmp(arguments.operands[0], "help") == 0) {
        print_help();
        return EXIT_CODE_SUCCESS;
    }
    command = find_command(arguments.operands[0]);
    if (command == NULL)
        return unknown_command(arguments.operands[0], failure);
    return run_command(command, &arguments, arguments.operand_count - 1, arguments.operands + 1,
                       failure);
}

static int run_with_copy(int argc, char **argv, struct failure *failure)
{
    int error = standard_streams_fill();

    if (error < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot open /dev/null: %s",
                                strerror(-error));
    char **copy = calloc((size_t)argc + 1, sizeof(*copy));
    if (copy == NULL)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    memcpy(copy, argv, (size_t)argc * sizeof(*copy));
    int code = dispatch_command(argc - 1, argv + 1, copy, failure);
    free(copy);
    return code;
}

int main(int argc, char **argv)
{
    struct failure failure = { 0 };
    int code = run_with_copy(argc, argv, &failure);

    if (failure.text[0] != '\0')
        say("%s", failure.text);
    return code;
}
