/* convert: a profile in the format of another tool. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/capture/capture_file.h"
#include "profctl/commands/commands.h"
#include "profctl/convert/profile_format.h"
#include "profctl/profile/profile_input.h"

/* What is under way. */
struct conversion {
    const struct profile_format *format;
    void *state;
    struct capture_file *file;
    int write_error; /* the first one of the file */
    uint64_t threads;
};

static int write_bytes(void *context, const char *bytes, size_t count)
{
    struct conversion *conversion = context;
    int err = capture_file_write(conversion->file, bytes, count);

    if (err < 0 && conversion->write_error == 0)
        conversion->write_error = err;
    return err;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct conversion *conversion = owner;

    /* profd itself, which is the root and has no stacks, is not what was profiled. */
    if (thread->is_of_root && thread->tables->stacks.count == 0)
        return 0;
    conversion->threads++;
    return conversion->format->add_thread(conversion->state, thread);
}

static int convert_all(struct conversion *conversion, struct json_reader *reader)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
    struct profile_facts facts;
    int err = profile_walk(reader, &events, conversion, &facts);

    return err < 0 ? err : conversion->format->finish(conversion->state, &facts);
}

static bool write_converted(struct conversion *conversion, struct profile_input *input,
                            struct failure *failure)
{
    if (!capture_file_create(conversion->file, failure))
        return false;
    int err = conversion->format->begin(write_bytes, conversion, &conversion->state);
    if (err == 0)
        err = convert_all(conversion, input->reader);
    if (conversion->state != NULL)
        conversion->format->end(conversion->state);
    if (conversion->write_error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s",
                    capture_file_path(conversion->file), strerror(-conversion->write_error));
    else if (err < 0)
        (void)profile_input_failed(input, err, failure);
    else
        return capture_file_commit(conversion->file, failure);
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
    struct conversion conversion = { 0 };
    struct profile_input input;
    bool is_done = false;

    if (arguments->converted == NULL)
        return (int)failure_set(failure, EXIT_CODE_USAGE, "no output given; say -o FILE");
    conversion.format = choose_format(arguments, failure);
    if (conversion.format == NULL || !profile_input_open(&input, arguments->operands[0], failure))
        return (int)failure->code;
    if (capture_file_prepare_any(arguments->converted, &conversion.file, failure)) {
        is_done = write_converted(&conversion, &input, failure);
        capture_file_close(conversion.file);
    }
    profile_input_close(&input);
    if (is_done && !arguments->quiet)
        say("wrote %s (%s, %llu thread%s)", arguments->converted, conversion.format->name,
            (unsigned long long)conversion.threads, conversion.threads == 1 ? "" : "s");
    return is_done ? EXIT_CODE_SUCCESS : (int)failure->code;
}
