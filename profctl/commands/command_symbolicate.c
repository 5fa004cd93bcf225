/* symbolicate: gives the addresses of a profile their names, as a capture does. For profiles that
 * were written without profctl, or with --no-symbols. */
#include <errno.h>
#include <string.h>

#include "profctl/capture/capture_file.h"
#include "profctl/capture/capture_make.h"
#include "profctl/commands/commands.h"
#include "profctl/profile/profile_input.h"

static int write_named(struct profile_input *input, struct capture_file *file,
                       struct symbol_cache *cache, struct capture_summary *summary,
                       struct failure *failure)
{
    struct failure_latch latch;
    struct json_writer writer;
    int err, written;

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, capture_file_write, file, &latch);
    err = symbolicate_profile(input->reader, &writer, cache, &summary->counts, NULL);
    written = json_writer_flush(&writer);
    json_writer_fini(&writer);
    if (written < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s",
                                capture_file_path(file), strerror(-written));
    if (err < 0)
        return profile_input_failed(input, err, failure);
    return capture_file_commit(file, failure) ? EXIT_CODE_SUCCESS : (int)failure->code;
}

static int symbolicate(struct profile_input *input, struct capture_file *file,
                       const struct arguments *arguments, struct failure *failure)
{
    struct capture_summary summary = { 0 };
    struct symbol_cache *cache = NULL;
    int code, err = symbol_cache_create(&cache);

    if (err < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    if (!capture_file_create(file, failure))
        code = (int)failure->code;
    else
        code = write_named(input, file, cache, &summary, failure);
    symbol_cache_free(cache);
    return code == EXIT_CODE_SUCCESS ? capture_tell(file, arguments, &summary) : code;
}

int command_symbolicate(const struct arguments *arguments, struct failure *failure)
{
    const char *path = arguments->operands[0];
    struct profile_input input;
    struct capture_file *file;
    int code;

    if (!profile_input_open(&input, path, failure))
        return (int)failure->code;
    if (capture_file_prepare(arguments->output != NULL ? arguments->output : path, &file,
                             failure)) {
        code = symbolicate(&input, file, arguments, failure);
        capture_file_close(file);
    } else {
        code = (int)failure->code;
    }
    profile_input_close(&input);
    return code;
}
