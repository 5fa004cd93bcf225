#include "profctl/commands/report_changes.h"

#include "profctl/commands/compared_profiles.h"
#include "profctl/report/report_diff.h"
#include "profctl/report/report_screen.h"

static int print_diff(const struct report_diff *diff, const struct arguments *arguments,
                      struct failure *failure)
{
    const char *names[DIFF_SIDES];
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    compared_profiles_name(arguments, names);
    if (error == 0 && arguments->json)
        error = report_diff_print_json(diff, names, arguments->top, screen.out);
    else if (error == 0)
        report_diff_print_text(diff, names, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

int report_changes(const struct arguments *arguments, struct failure *failure)
{
    struct report_diff diff;
    int code = compared_profiles_read(arguments, &diff, failure);

    if (code == EXIT_CODE_SUCCESS)
        code = print_diff(&diff, arguments, failure);
    report_diff_free(&diff);
    return code;
}
