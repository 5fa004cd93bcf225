/* merge: captures of several machines or runs on one time line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/capture/capture_file.h"
#include "profctl/commands/commands.h"
#include "profctl/merge/merge_copy.h"
#include "profctl/merge/merge_plan.h"
#include "profctl/merge/merge_root.h"
#include "profctl/profile/profile_input.h"

/* What is under way. */
struct merge_run {
    struct merge_source *sources;
    size_t count;
    struct merge_lists lists;
    struct capture_file *file;
    int write_error; /* the first one of the file */
};

/* --- Inputs --- */

/* They are read more than once, and OUTPUT is no other name of one. */
static bool check_input(const char *path, const char *output, struct failure *failure)
{
    return profile_input_is_repeatable(path, failure) &&
           profile_input_is_not(path, output, failure);
}

static bool read_source(struct merge_run *run, struct merge_source *source, struct failure *failure)
{
    struct profile_input input;

    if (!profile_input_open(&input, source->path, failure))
        return false;
    int error =
        merge_source_read(source, input.reader, &run->lists.categories, &run->lists.schemas);
    if (error < 0)
        profile_input_failed(&input, error, failure);
    profile_input_close(&input);
    return error == 0;
}

static bool look_at_all(struct merge_run *run, struct failure *failure)
{
    for (size_t i = 0; i < run->count; i++) {
        if (!read_source(run, &run->sources[i], failure))
            return false;
    }
    if (!merge_plan_check(run->sources, run->count, failure))
        return false;
    if (merge_plan_pids(run->sources, run->count) == 0)
        return true;
    failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    return false;
}

/* --- The output --- */

static int write_bytes(void *context, const char *bytes, size_t count)
{
    struct merge_run *run = context;
    int error = capture_file_write(run->file, bytes, count);

    if (error < 0 && run->write_error == 0)
        run->write_error = error;
    return error;
}

static bool copy_source_part(struct merge_run *run, const struct merge_source *source,
                             struct json_writer *writer,
                             int (*copy_part)(const struct merge_copy *copy),
                             struct failure *failure)
{
    struct profile_input input;

    if (!profile_input_open(&input, source->path, failure))
        return false;
    const struct merge_copy copy = { input.reader, writer, source, &run->lists };
    int error = copy_part(&copy);
    if (error < 0)
        profile_input_failed(&input, error, failure);
    profile_input_close(&input);
    return error == 0;
}

static bool copy_source(struct merge_run *run, const struct merge_source *source,
                        struct json_writer *writer, struct failure *failure)
{
    return copy_source_part(run, source, writer, merge_copy_root, failure) &&
           (!source->has_processes ||
            copy_source_part(run, source, writer, merge_copy_processes, failure));
}

static bool write_all(struct merge_run *run, const struct merge_span *span,
                      struct json_writer *writer, struct failure *failure)
{
    int error = merge_root_begin(writer, run->sources, run->count, span, &run->lists);
    bool is_good = error == 0;

    if (!is_good)
        failure_set(failure, EXIT_CODE_FAILED, "cannot merge: %s", strerror(-error));
    for (size_t i = 0; is_good && i < run->count; i++)
        is_good = copy_source(run, &run->sources[i], writer, failure);
    if (!is_good)
        return false;
    merge_root_end(writer);
    error = json_writer_flush(writer);
    if (error < 0 && run->write_error == 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot merge: %s", strerror(-error));
    return error == 0;
}

static bool write_file(struct merge_run *run, struct failure *failure)
{
    const struct merge_span span = merge_plan_span(run->sources, run->count);
    struct failure_latch latch;
    struct json_writer writer;

    if (!capture_file_create(run->file, failure))
        return false;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, write_bytes, run, &latch);
    bool is_good = write_all(run, &span, &writer, failure);
    json_writer_fini(&writer);
    if (run->write_error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s", capture_file_path(run->file),
                    strerror(-run->write_error));
    return is_good && capture_file_commit(run->file, failure);
}

/* --- Both --- */

/* What can be said before anything is read. */
static bool check_words(struct merge_run *run, const struct arguments *arguments,
                        struct failure *failure)
{
    for (size_t i = 0; i < run->count; i++) {
        if (!check_input(arguments->operands[i], arguments->merged, failure))
            return false;
        merge_source_init(&run->sources[i], arguments->operands[i]);
    }
    return merge_plan_hosts(run->sources, run->count, arguments->hosts, failure) &&
           merge_plan_offsets(run->sources, run->count, arguments->offsets, failure);
}

static bool merge_captures(struct merge_run *run, const struct arguments *arguments,
                           struct failure *failure)
{
    if (!check_words(run, arguments, failure) ||
        !capture_file_prepare(arguments->merged, &run->file, failure))
        return false;
    bool is_done = look_at_all(run, failure) && write_file(run, failure);
    capture_file_close(run->file);
    return is_done;
}

int command_merge(const struct arguments *arguments, struct failure *failure)
{
    struct merge_run run = { .count = (size_t)arguments->operand_count };

    if (arguments->merged == NULL)
        return (int)failure_set(failure, EXIT_CODE_USAGE, "no output file given; use -o FILE");
    run.sources = calloc(run.count, sizeof(*run.sources));
    if (run.sources == NULL)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    bool is_done = merge_captures(&run, arguments, failure);
    if (is_done && !arguments->quiet)
        say("wrote %s (%zu captures)", arguments->merged, run.count);
    for (size_t i = 0; i < run.count; i++)
        merge_source_free(&run.sources[i]);
    free(run.sources);
    merge_lists_free(&run.lists);
    return is_done ? EXIT_CODE_SUCCESS : (int)failure->code;
}
