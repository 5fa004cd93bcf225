#include "profctl/commands/compared_profiles.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "profctl/profile/profile_input.h"

bool compared_profiles_check(const struct arguments *arguments, struct failure *failure)
{
    if (arguments->before != NULL || (!arguments->shares && !arguments->all))
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "--%s requires --diff BEFORE",
                arguments->shares ? "shares" : "all");
    return false;
}

void compared_profiles_name(const struct arguments *arguments, const char *names[DIFF_SIDES])
{
    names[DIFF_BEFORE] =
        arguments->shown_before != NULL ? arguments->shown_before : arguments->before;
    names[DIFF_AFTER] = arguments->shown != NULL ? arguments->shown : arguments->operands[0];
}

static int read_side(const char *path, const struct arguments *arguments, struct report *out,
                     struct failure *failure)
{
    struct profile_input input;

    if (!profile_input_open(&input, path, failure))
        return (int)failure->code;
    int error = report_read(input.reader, arguments->all, out);
    int code = error < 0 ? profile_input_failed(&input, error, failure) : EXIT_CODE_SUCCESS;
    if (error == 0 && out->processes == 0 && out->absent_processes == 0)
        code = (int)failure_set(failure, EXIT_CODE_FAILED, "%s has no processes to compare", path);
    profile_input_close(&input);
    return code;
}

static int compare_reports(const struct report reports[DIFF_SIDES],
                           const struct arguments *arguments, struct report_diff *out,
                           struct failure *failure)
{
    const char *names[DIFF_SIDES];
    int error =
        report_diff_make(&reports[DIFF_BEFORE], &reports[DIFF_AFTER], arguments->shares, out);

    if (error == 0)
        return EXIT_CODE_SUCCESS;
    compared_profiles_name(arguments, names);
    if (error == -EINVAL)
        failure_set(failure, EXIT_CODE_FAILED,
                    "only one of %s and %s has CPU times; compare their samples with --all",
                    names[DIFF_BEFORE], names[DIFF_AFTER]);
    else
        failure_set(failure, EXIT_CODE_FAILED, "cannot compare: %s", strerror(-error));
    return (int)failure->code;
}

int compared_profiles_read(const struct arguments *arguments, struct report_diff *out,
                           struct failure *failure)
{
    const char *const paths[DIFF_SIDES] = { arguments->before, arguments->operands[0] };
    struct report reports[DIFF_SIDES] = { 0 };
    int code = EXIT_CODE_SUCCESS;

    *out = (struct report_diff){ 0 };
    for (int side = 0; code == EXIT_CODE_SUCCESS && side < DIFF_SIDES; side++)
        code = read_side(paths[side], arguments, &reports[side], failure);
    if (code == EXIT_CODE_SUCCESS)
        code = compare_reports(reports, arguments, out, failure);
    report_free(&reports[DIFF_BEFORE]);
    report_free(&reports[DIFF_AFTER]);
    return code;
}

static struct profile_change change_of(const struct diff_measure *measure)
{
    return (struct profile_change){
        .before = measure->amount[DIFF_BEFORE],
        .now = measure->amount[DIFF_AFTER],
        .probability = measure->verdict == DIFF_TOO_FEW ? NAN : measure->probability,
        .is_significant = measure->verdict == DIFF_SIGNIFICANT,
    };
}

static struct changed_function function_at(const void *source, size_t index)
{
    const struct report_diff *diff = source;
    const struct function_diff *function =
        (const struct function_diff *)diff->functions.items + index;

    return (struct changed_function){ function->name, function->length, change_of(&function->self),
                                      change_of(&function->total) };
}

struct profile_comparison compared_profiles_view(const struct arguments *arguments,
                                                 const struct report_diff *diff)
{
    const char *names[DIFF_SIDES];

    compared_profiles_name(arguments, names);
    return (struct profile_comparison){
        .before = names[DIFF_BEFORE],
        .is_by_cpu = diff->is_by_cpu,
        .is_of_shares = diff->compares_shares,
        .sampled_before = diff->sampled[DIFF_BEFORE],
        .sampled_now = diff->sampled[DIFF_AFTER],
        .functions = diff->functions.count,
        .function_at = function_at,
        .source = diff,
    };
}
