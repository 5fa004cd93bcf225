#include "daemon/capture/write_behind.h"

static void run_thread(void *argument)
{
    struct write_behind *behind = argument;

    for (;;) {
        uv_sem_wait(&behind->is_given);
        if (behind->bytes == NULL)
            return;
        behind->error = behind->write(behind->context, behind->bytes, behind->count);
        uv_sem_post(&behind->is_written);
    }
}

int write_behind_begin(struct write_behind *behind, json_sink_write write, void *context)
{
    *behind = (struct write_behind){ .write = write, .context = context };
    int error = uv_sem_init(&behind->is_given, 0);
    if (error < 0)
        return error;
    error = uv_sem_init(&behind->is_written, 1);
    if (error < 0) {
        uv_sem_destroy(&behind->is_given);
        return error;
    }
    behind->has_thread = uv_thread_create(&behind->thread, run_thread, behind) == 0;
    return 0;
}

int write_behind_give(void *context, const char *bytes, size_t count)
{
    struct write_behind *behind = context;

    uv_sem_wait(&behind->is_written);
    int error = behind->error;
    if (error == 0 && behind->has_thread) {
        behind->bytes = bytes;
        behind->count = count;
        uv_sem_post(&behind->is_given);
        return 0;
    }
    if (error == 0)
        error = behind->error = behind->write(behind->context, bytes, count);
    uv_sem_post(&behind->is_written);
    return error;
}

int write_behind_end(struct write_behind *behind)
{
    uv_sem_wait(&behind->is_written);
    if (behind->has_thread) {
        behind->bytes = NULL;
        uv_sem_post(&behind->is_given);
        (void)uv_thread_join(&behind->thread); /* fails only for a thread that is not ours */
    }
    uv_sem_destroy(&behind->is_given);
    uv_sem_destroy(&behind->is_written);
    return behind->error;
}
