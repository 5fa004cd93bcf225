/* symbolicate: gives the addresses of a profile their names, as a capture does. For profiles that
 * were written without profctl, or with --no-symbols. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "profctl/capture/capture_file.h"
#include "profctl/commands/capture_make.h"
#include "profctl/commands/commands.h"
#include "profctl/profile/profile_input.h"
#include "profctl/raw/raw_input.h"
#include "profctl/raw/raw_reader.h"

static int write_named(struct profile_input *input, struct capture_file *file,
                       struct symbol_cache *cache, struct capture_summary *summary,
                       struct failure *failure)
{
    struct failure_latch latch;
    struct json_writer writer;
    int error, written;

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, capture_file_write, file, &latch);
    error = symbolicate_profile(input->reader, &writer, cache, &summary->counts, NULL);
    written = json_writer_flush(&writer);
    json_writer_fini(&writer);
    if (written < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s",
                                capture_file_path(file), strerror(-written));
    if (error < 0)
        return profile_input_failed(input, error, failure);
    return capture_file_commit(file, failure) ? EXIT_CODE_SUCCESS : (int)failure->code;
}

static int name_profile(struct profile_input *input, struct capture_file *file,
                        const struct arguments *arguments, struct failure *failure)
{
    struct capture_summary summary = { 0 };
    struct symbol_cache *cache = NULL;
    int code, error = symbol_cache_create(&cache);

    if (error < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    if (!capture_file_create(file, failure))
        code = (int)failure->code;
    else
        code = write_named(input, file, cache, &summary, failure);
    symbol_cache_free(cache);
    return code == EXIT_CODE_SUCCESS ? capture_tell(file, arguments, &summary) : code;
}

/* --- Raw captures, which have no JSON yet --- */

/* Where it goes, and the first error there. */
struct raw_target {
    struct capture_file *file;
    int error;
    struct failure *failure;
};

static int write_raw(void *context, const char *bytes, size_t count)
{
    struct raw_target *target = context;
    int error = capture_file_write(target->file, bytes, count);

    if (error < 0)
        target->error = error;
    return error;
}

static int restart_raw(void *context)
{
    struct raw_target *target = context;

    return capture_file_restart(target->file, target->failure) ? 0 : -EIO;
}

static int convert_raw(int raw_fd, const char *path, const struct arguments *arguments,
                       struct capture_file *file, struct failure *failure)
{
    struct raw_target target = { file, 0, failure };
    const struct capture_sink sink = { write_raw, restart_raw, &target };
    struct capture_summary summary = { 0 };

    if (!capture_file_create(file, failure))
        return (int)failure->code;
    bool is_made = raw_input_write(raw_fd, path, &sink, &summary.counts, failure);
    if (target.error < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s",
                                capture_file_path(file), strerror(-target.error));
    return is_made && capture_file_commit(file, failure) ? capture_tell(file, arguments, &summary)
                                                         : (int)failure->code;
}

static int symbolicate_raw(int raw_fd, const struct arguments *arguments, struct failure *failure)
{
    const char *path = arguments->operands[0];
    struct capture_file *file;

    if (arguments->output == NULL)
        return (int)failure_set(
            failure, EXIT_CODE_USAGE,
            "%s is a raw capture; name the JSON file to write with -o FILE.json", path);
    if (!capture_file_prepare(arguments->output, &file, failure))
        return (int)failure->code;
    int code = convert_raw(raw_fd, path, arguments, file, failure);
    capture_file_close(file);
    return code;
}

/* --- Both --- */

int command_symbolicate(const struct arguments *arguments, struct failure *failure)
{
    const char *path = arguments->operands[0];
    struct profile_input input;
    struct capture_file *file;
    int code, raw_fd = raw_reader_open(path);

    if (raw_fd >= 0) {
        code = symbolicate_raw(raw_fd, arguments, failure);
        close(raw_fd);
        return code;
    }
    if (!profile_input_open(&input, path, failure))
        return (int)failure->code;
    if (capture_file_prepare(arguments->output != NULL ? arguments->output : path, &file,
                             failure)) {
        code = name_profile(&input, file, arguments, failure);
        capture_file_close(file);
    } else {
        code = (int)failure->code;
    }
    profile_input_close(&input);
    return code;
}
