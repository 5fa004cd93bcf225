#include "profctl/commands/converted_file.h"

#include <string.h>

bool converted_file_open(struct converted_file *converted, const struct profile_format *format,
                         const char *path, struct failure *failure)
{
    *converted = (struct converted_file){ 0 };
    if (!capture_file_prepare_any(path, &converted->file, failure) ||
        !capture_file_create(converted->file, failure))
        return false;
    converted->conversion = (struct conversion){
        .format = format,
        .write = capture_file_write,
        .context = converted->file,
    };
    int error = conversion_begin(&converted->conversion);
    if (error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s", path, strerror(-error));
    return error == 0;
}

int converted_file_add(struct converted_file *converted, const struct profile_thread *thread)
{
    return conversion_add(&converted->conversion, thread);
}

int converted_file_finish(struct converted_file *converted, const struct profile_facts *facts)
{
    return conversion_finish(&converted->conversion, facts);
}

bool converted_file_failed(const struct converted_file *converted, struct failure *failure)
{
    if (converted->conversion.write_error == 0)
        return false;
    failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s",
                capture_file_path(converted->file), strerror(-converted->conversion.write_error));
    return true;
}

bool converted_file_commit(struct converted_file *converted, struct failure *failure)
{
    return capture_file_commit(converted->file, failure);
}

void converted_file_close(struct converted_file *converted)
{
    conversion_end(&converted->conversion);
    capture_file_close(converted->file);
    *converted = (struct converted_file){ 0 };
}
