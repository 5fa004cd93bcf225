#include "profctl/naming/thread_name.h"

#include <string.h>

enum { KERNEL_NAME_LENGTH = 15 };

static const struct {
    const char *function; /* its beginning */
    const char *library;  /* its beginning; "": any */
    const char *name;
} starts[] = {
    { "node::(anonymous namespace)::PlatformWorkerThread(", "", "V8 platform worker" },
    { "node::WorkerThreadsTaskRunner::DelayedTaskScheduler::", "", "V8 platform delayed tasks" },
    { "node::worker::Worker::StartThread(", "", "Node worker" },
    { "node::inspector::(anonymous namespace)::StartIoThreadMain(", "", "Node inspector" },
    { "worker (", "node", "libuv pool" },
    { "worker (", "libuv.so", "libuv pool" },
};

static bool begins_with(const char *text, size_t length, const char *beginning)
{
    size_t wanted = strlen(beginning);

    return length >= wanted && memcmp(text, beginning, wanted) == 0;
}

const char *thread_name_of_start(const char *location, size_t length)
{
    static const char separator[] = " (in ";
    size_t separator_length = sizeof(separator) - 1, at = length;

    while (at > 0 && !begins_with(location + at, length - at, separator))
        at--;
    if (at == 0)
        return NULL;
    const char *library = location + at + separator_length;
    size_t library_length = length - at - separator_length;
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (begins_with(location, length, starts[i].function) &&
            begins_with(library, library_length, starts[i].library))
            return starts[i].name;
    return NULL;
}

bool thread_name_is_inherited(const char *name, const char *process_name,
                              const struct process_libraries *libraries)
{
    const struct process_library *library = libraries->libraries.items;

    if (strncmp(name, process_name, KERNEL_NAME_LENGTH) == 0)
        return true;
    for (size_t i = 0; i < libraries->libraries.count; i++)
        if (strncmp(name, library[i].name, KERNEL_NAME_LENGTH) == 0)
            return true;
    return false;
}
