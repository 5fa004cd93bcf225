#include "profctl/commands/report_changes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/profile/profile_input.h"
#include "profctl/report/report.h"
#include "profctl/report/report_diff.h"
#include "profctl/report/report_screen.h"

static int print_diff(const struct report_diff *diff, const char *const files[DIFF_SIDES],
                      const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int err = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (err == 0 && arguments->json)
        err = report_diff_print_json(diff, files, arguments->top, screen.out);
    else if (err == 0)
        report_diff_print_text(diff, files, arguments->top, screen.out);
    return report_screen_settle(&screen, err, failure);
}

static int compare(const struct report reports[DIFF_SIDES], const char *const files[DIFF_SIDES],
                   const struct arguments *arguments, struct failure *failure)
{
    struct report_diff diff;
    int err =
        report_diff_make(&reports[DIFF_BEFORE], &reports[DIFF_AFTER], arguments->shares, &diff);
    int code = EXIT_CODE_FAILED;

    if (err == 0)
        code = print_diff(&diff, files, arguments, failure);
    else if (err == -EINVAL)
        failure_set(failure, EXIT_CODE_FAILED,
                    "only one of %s and %s knows CPU time; compare their samples with --all",
                    files[DIFF_BEFORE], files[DIFF_AFTER]);
    else
        failure_set(failure, EXIT_CODE_FAILED, "cannot compare: %s", strerror(-err));
    report_diff_free(&diff);
    return code;
}

static int read_side(const char *path, const struct arguments *arguments, struct report *out,
                     struct failure *failure)
{
    struct profile_input input;

    *out = (struct report){ 0 };
    if (!profile_input_open(&input, path, failure))
        return (int)failure->code;
    int err = report_read(input.reader, arguments->all, out);
    int code = err < 0 ? profile_input_failed(&input, err, failure) : EXIT_CODE_SUCCESS;
    if (err == 0 && out->processes == 0 && out->absent_processes == 0)
        code = (int)failure_set(failure, EXIT_CODE_FAILED, "%s has no processes to compare", path);
    profile_input_close(&input);
    return code;
}

int report_changes(const struct arguments *arguments, struct failure *failure)
{
    const char *const files[DIFF_SIDES] = { arguments->before, arguments->operands[0] };
    const char *const shown[DIFF_SIDES] = {
        arguments->shown_before != NULL ? arguments->shown_before : files[DIFF_BEFORE],
        arguments->shown != NULL ? arguments->shown : files[DIFF_AFTER],
    };
    struct report reports[DIFF_SIDES] = { 0 };
    int code = EXIT_CODE_SUCCESS;

    for (int side = 0; code == EXIT_CODE_SUCCESS && side < DIFF_SIDES; side++)
        code = read_side(files[side], arguments, &reports[side], failure);
    if (code == EXIT_CODE_SUCCESS)
        code = compare(reports, shown, arguments, failure);
    report_free(&reports[DIFF_BEFORE]);
    report_free(&reports[DIFF_AFTER]);
    return code;
}
