/* report: the hottest functions of a profile, as text. */
#include <stdio.h>
#include <string.h>

#include "profctl/commands/commands.h"
#include "profctl/commands/report_changes.h"
#include "profctl/commands/report_tables.h"
#include "profctl/profile/profile_input.h"
#include "profctl/report/calls_report.h"
#include "profctl/report/missing_symbols.h"
#include "profctl/report/process_report.h"
#include "profctl/report/report.h"
#include "profctl/report/report_screen.h"
#include "profctl/report/tree_report.h"
#include "profctl/symbols/debug_files.h"

static int print_report(const struct report *report, const char *path,
                        const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = report_print_json(report, path, arguments->top, screen.out);
    else if (error == 0)
        report_print_text(report, path, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int print_calls(const struct calls_report *report, const char *path,
                       const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = calls_report_print_json(report, path, arguments->top, screen.out);
    else if (error == 0)
        calls_report_print_text(report, path, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_functions(struct profile_input *input, const struct arguments *arguments,
                            struct failure *failure)
{
    struct report report;
    int error = report_read(input->reader, arguments->all, &report);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_report(&report, input->path, arguments, failure);

    report_free(&report);
    return code;
}

static int report_calls(struct profile_input *input, const struct arguments *arguments,
                        struct failure *failure)
{
    struct calls_report report;
    int error = calls_report_read(input->reader, &report);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_calls(&report, input->path, arguments, failure);

    calls_report_free(&report);
    return code;
}

static int print_tree(const struct tree_report *report, const char *path,
                      const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = tree_report_print_json(report, path, screen.out);
    else if (error == 0)
        tree_report_print_text(report, path, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_tree(struct profile_input *input, const struct arguments *arguments,
                       struct failure *failure)
{
    struct tree_report report;
    int error = tree_report_read(input->reader, arguments->callers ? TREE_CALLERS : TREE_CALLEES,
                                 arguments->fold_recursion, &report);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_tree(&report, input->path, arguments, failure);

    tree_report_free(&report);
    return code;
}

static int print_processes(const struct process_report *report, const char *path,
                           const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = process_report_print_json(report, path, arguments->top, screen.out);
    else if (error == 0)
        process_report_print_text(report, path, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_processes(struct profile_input *input, const struct arguments *arguments,
                            struct failure *failure)
{
    struct process_report report;
    int error = process_report_read(input->reader, &report);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_processes(&report, input->path, arguments, failure);

    process_report_free(&report);
    return code;
}

static int print_missing(const struct missing_symbols *missing, const char *path,
                         const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0)
        error = debug_files_begin();
    if (error == 0 && arguments->json)
        error = missing_symbols_print_json(missing, path, screen.out);
    else if (error == 0)
        missing_symbols_print_text(missing, path, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_missing(struct profile_input *input, const struct arguments *arguments,
                          struct failure *failure)
{
    struct missing_symbols missing;
    int error = missing_symbols_read(input->reader, &missing);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_missing(&missing, input->path, arguments, failure);

    missing_symbols_free(&missing);
    return code;
}

/* One report at a time. */
static int check_kinds(const struct arguments *arguments, struct failure *failure)
{
    int kinds = (arguments->before != NULL) + arguments->calls + arguments->tree +
                arguments->callers + arguments->by_process + arguments->missing_symbols +
                (arguments->table != NULL);

    if (kinds > 1)
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "--by, --diff, --calls, --tree, --callers, --processes and "
                                "--missing-symbols are mutually exclusive");
    if (arguments->table != NULL && report_by_named(arguments->table) == REPORT_BY_NOTHING)
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "--by '%.64s' is not one of " REPORT_BY_TEXT, arguments->table);
    if (arguments->all && kinds > (arguments->before != NULL))
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "--all applies only to the list of functions and to --diff");
    if (arguments->fold_recursion && !arguments->tree && !arguments->callers)
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "--fold-recursion requires --tree or --callers");
    if (arguments->shares && arguments->before == NULL)
        return (int)failure_set(failure, EXIT_CODE_USAGE, "--shares requires --diff BEFORE");
    return EXIT_CODE_SUCCESS;
}

static int report_what_is_meant(struct profile_input *input, const struct arguments *arguments,
                                struct failure *failure)
{
    if (arguments->table != NULL)
        return report_table(input, report_by_named(arguments->table), arguments, failure);
    if (arguments->calls)
        return report_calls(input, arguments, failure);
    if (arguments->by_process)
        return report_processes(input, arguments, failure);
    if (arguments->missing_symbols)
        return report_missing(input, arguments, failure);
    if (arguments->tree || arguments->callers)
        return report_tree(input, arguments, failure);
    return report_functions(input, arguments, failure);
}

int command_report(const struct arguments *arguments, struct failure *failure)
{
    struct profile_input input;
    int code = check_kinds(arguments, failure);

    if (code != EXIT_CODE_SUCCESS)
        return code;
    if (arguments->before != NULL)
        return report_changes(arguments, failure);
    if (!profile_input_open(&input, arguments->operands[0], failure))
        return (int)failure->code;
    if (arguments->shown != NULL)
        input.path = arguments->shown;
    code = report_what_is_meant(&input, arguments, failure);
    profile_input_close(&input);
    return code;
}
