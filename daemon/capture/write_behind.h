/* Writes on a thread of its own what is given to it, while more is made ready.
 *
 * One piece at a time: who gives the next one waits until the last is written, and so may use the
 * memory of the last one again. One thread gives. */
#ifndef PROFD_DAEMON_WRITE_BEHIND_H
#define PROFD_DAEMON_WRITE_BEHIND_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "json/json_writer.h"

struct write_behind {
    json_sink_write write;
    void *context;
    uv_thread_t thread;
    bool has_thread;
    uv_sem_t is_given, is_written; /* is_written: nothing waits, and the error may be read */
    const char *bytes;             /* borrowed; NULL: the thread is to end */
    size_t count;
    int error; /* of the first write that failed */
};

/* Begins to write by WRITE with CONTEXT, both of which serve the new thread until the end. Without
 * a thread, write_behind_give() writes before it returns. -ENOMEM; negative errno of the
 * semaphores. */
int write_behind_begin(struct write_behind *behind, json_sink_write write, void *context);

/* Gives COUNT BYTES, which must stay until the next call of this or the next function has returned.
 * 0, or the error of an earlier write: then they are not written. A json_sink_write; BEHIND is a
 * struct write_behind. */
int write_behind_give(void *behind, const char *bytes, size_t count);

/* Waits until all is written, and ends the thread. 0 or the error of the first write that failed.
 */
int write_behind_end(struct write_behind *behind);

#endif
