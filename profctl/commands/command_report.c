/* report: the hottest functions of a profile, as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/commands/commands.h"
#include "profctl/profile/profile_input.h"
#include "profctl/report/calls_report.h"
#include "profctl/report/report.h"

static int settle_output(int err, struct failure *failure)
{
    if (err == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        err = errno != 0 ? -errno : -EIO;
    if (err == 0)
        return EXIT_CODE_SUCCESS;
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot print the report: %s",
                            strerror(-err));
}

static int print(const struct report *report, const char *path, const struct arguments *arguments,
                 struct failure *failure)
{
    int err = 0;

    if (arguments->json)
        err = report_print_json(report, path, arguments->top, stdout);
    else
        report_print_text(report, path, arguments->top, stdout);
    return settle_output(err, failure);
}

static int print_calls(const struct calls_report *report, const char *path,
                       const struct arguments *arguments, struct failure *failure)
{
    int err = 0;

    if (arguments->json)
        err = calls_report_print_json(report, path, arguments->top, stdout);
    else
        calls_report_print_text(report, path, arguments->top, stdout);
    return settle_output(err, failure);
}

static int report_functions(struct profile_input *input, const struct arguments *arguments,
                            struct failure *failure)
{
    struct report report;
    int err = report_read(input->reader, arguments->all, &report);
    int code = err < 0 ? profile_input_failed(input, err, failure)
                       : print(&report, input->path, arguments, failure);

    report_free(&report);
    return code;
}

static int report_calls(struct profile_input *input, const struct arguments *arguments,
                        struct failure *failure)
{
    struct calls_report report;
    int err = calls_report_read(input->reader, &report);
    int code = err < 0 ? profile_input_failed(input, err, failure)
                       : print_calls(&report, input->path, arguments, failure);

    calls_report_free(&report);
    return code;
}

int command_report(const struct arguments *arguments, struct failure *failure)
{
    struct profile_input input;
    int code;

    if (!profile_input_open(&input, arguments->operands[0], failure))
        return (int)failure->code;
    code = (arguments->calls ? report_calls : report_functions)(&input, arguments, failure);
    profile_input_close(&input);
    return code;
}
