#include "profctl/commands/thread_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/output_pattern.h"

void thread_files_init(struct thread_files *files, const char *path, const char *ending)
{
    *files = (struct thread_files){ .path = path, .ending = ending };
    failure_latch_init(&files->latch);
    unique_strings_init(&files->names, &files->latch);
    unique_strings_init(&files->numbers, &files->latch);
}

void thread_files_fini(struct thread_files *files)
{
    unique_strings_fini(&files->names);
    unique_strings_fini(&files->numbers);
    mapped_array_free(&files->counts);
}

/* How much of the path comes before its ending. */
static size_t stem_length(const struct thread_files *files)
{
    char compressed[64];
    size_t length = strlen(files->path);

    snprintf(compressed, sizeof(compressed), "%s.gz", files->ending);
    if (output_name_ends_in(files->path, compressed))
        return length - strlen(compressed);
    return output_name_ends_in(files->path, files->ending) ? length - strlen(files->ending)
                                                           : length;
}

/* Writes the name with the numbers of THREAD; the REPEAT-th of those. */
static int print_name(struct thread_files *files, const struct profile_thread *thread,
                      uint32_t repeat)
{
    size_t stem = stem_length(files);
    char again[16] = "";

    if (repeat > 1)
        snprintf(again, sizeof(again), "-%u", repeat);
    int length = snprintf(files->name, sizeof(files->name), "%.*s-%.0f-%.0f%s%s", (int)stem,
                          files->path, thread->pid >= 0 ? thread->pid : 0,
                          thread->tid >= 0 ? thread->tid : 0, again, files->path + stem);
    return length < (int)sizeof(files->name) ? length : -ENAMETOOLONG;
}

/* The count of threads with the numbers of THREAD, this one included. NULL: no memory. */
static uint32_t *count_of(struct thread_files *files, const struct profile_thread *thread)
{
    const double numbers[] = { thread->pid >= 0 ? thread->pid : 0,
                               thread->tid >= 0 ? thread->tid : 0 };
    uint32_t index = unique_strings_add(&files->numbers, (const char *)numbers, sizeof(numbers));

    if (index == UNIQUE_NONE ||
        mapped_array_reserve(&files->counts, (size_t)index + 1, sizeof(uint32_t)) < 0)
        return NULL;
    return (uint32_t *)files->counts.items + index;
}

int thread_files_name(struct thread_files *files, const struct profile_thread *thread,
                      const char **name)
{
    uint32_t known = unique_strings_count(&files->names), *count = count_of(files, thread);

    if (count == NULL)
        return -ENOMEM;
    while (unique_strings_count(&files->names) == known) {
        int length = print_name(files, thread, ++*count);
        if (length < 0)
            return length;
        if (unique_strings_add(&files->names, files->name, (size_t)length) == UNIQUE_NONE)
            return -ENOMEM;
    }
    if (known == 0)
        memcpy(files->first, files->name, sizeof(files->first));
    *name = files->name;
    return 0;
}

void thread_files_remove(const struct thread_files *files, uint32_t count)
{
    char path[PATH_MAX];

    for (uint32_t i = 0; i < count; i++) {
        size_t length;
        const char *name = unique_strings_get(&files->names, i, &length);

        snprintf(path, sizeof(path), "%.*s", (int)length, name);
        (void)unlink(path); /* one that stays does no harm; why the set is not whole is told */
    }
}
