/* convert: a profile in the format of another tool. */
#include <stdio.h>
#include <string.h>

#include "profctl/capture/capture_file.h"
#include "profctl/commands/commands.h"
#include "profctl/convert/conversion.h"
#include "profctl/profile/profile_input.h"

static bool write_converted(const struct profile_format *format, struct profile_input *input,
                            struct capture_file *file, uint64_t *threads, struct failure *failure)
{
    struct conversion conversion = { .format = format,
                                     .write = capture_file_write,
                                     .context = file };

    if (!capture_file_create(file, failure))
        return false;
    int err = conversion_run(&conversion, input->reader);
    *threads = conversion.threads;
    if (err == 0)
        return capture_file_commit(file, failure);
    if (conversion.write_error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s", capture_file_path(file),
                    strerror(-conversion.write_error));
    else
        (void)profile_input_failed(input, err, failure);
    return false;
}

/* By --format, or else by the name of the output. */
static const struct profile_format *choose_format(const struct arguments *arguments,
                                                  struct failure *failure)
{
    const struct profile_format *format = arguments->format != NULL
                                              ? profile_format_named(arguments->format)
                                              : profile_format_of_file(arguments->converted);
    char names[256] = "";

    if (format != NULL)
        return format;
    for (size_t i = 0, used = 0; profile_formats[i] != NULL; i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                                 arguments->format != NULL ? profile_formats[i]->name
                                                           : profile_formats[i]->ending);
    failure_set(failure, EXIT_CODE_USAGE,
                arguments->format != NULL ? "--format '%.64s' is none of %s"
                                          : "'%.128s' ends in none of %s; say --format",
                arguments->format != NULL ? arguments->format : arguments->converted, names);
    return NULL;
}

int command_convert(const struct arguments *arguments, struct failure *failure)
{
    struct capture_file *file;
    struct profile_input input;
    uint64_t threads = 0;
    bool is_done = false;

    if (arguments->converted == NULL)
        return (int)failure_set(failure, EXIT_CODE_USAGE, "no output given; say -o FILE");
    const struct profile_format *format = choose_format(arguments, failure);
    if (format == NULL || !profile_input_open(&input, arguments->operands[0], failure))
        return (int)failure->code;
    if (capture_file_prepare_any(arguments->converted, &file, failure)) {
        is_done = write_converted(format, &input, file, &threads, failure);
        capture_file_close(file);
    }
    profile_input_close(&input);
    if (is_done && !arguments->quiet)
        say("wrote %s (%s, %llu thread%s)", arguments->converted, format->name,
            (unsigned long long)threads, threads == 1 ? "" : "s");
    return is_done ? EXIT_CODE_SUCCESS : (int)failure->code;
}
