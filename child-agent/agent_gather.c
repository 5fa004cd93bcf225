#include "child-agent/agent_gather.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/session.h"
#include "common/apart.h"
#include "json/gecko/gecko_process.h"

static struct {
    uint64_t id; /* 0: none */
    pthread_t thread;
    struct gecko_process_options options;
    struct progress_value progress;
    _Atomic bool is_finished;
    int fd; /* -1: none */
    int error;
    uint64_t json_bytes;
} gather;

static LARGE_APART char thread_filters[MESSAGE_MAX_FILTERS + 1]; /* of the options */

static int write_profile(struct arena_reader *reader, int fd)
{
    struct failure_latch latch;
    struct json_writer writer;
    struct progress progress = progress_whole(&gather.progress);
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &fd, &latch);
    int error = gecko_stream_process(reader, &gather.options, &writer, &progress, &latch);
    if (error == 0)
        error = json_writer_flush(&writer);
    gather.json_bytes = json_writer_bytes(&writer);
    json_writer_fini(&writer);
    return error;
}

static int make_profile(void)
{
    struct arena_reader *reader = NULL;
    int error = arena_reader_open_memory(core.arena.header, core.arena.mapped_bytes, &reader);
    if (error < 0)
        return error;
    gather.fd = memfd_create("profd-profile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    error = gather.fd < 0 ? -errno : write_profile(reader, gather.fd);
    arena_reader_close(reader);
    if (error < 0 && gather.fd >= 0) {
        close(gather.fd);
        gather.fd = -1;
    }
    return error;
}

static void *gather_main(void *argument)
{
    (void)argument;
    own_thread_set_name("profd-gather");
    gather.error = make_profile();
    atomic_store(&gather.is_finished, true);
    return NULL;
}

int agent_gather_start(const struct message_gather_profile *asked)
{
    if (gather.id != 0)
        return -EBUSY;
    session_flush();
    memset(&gather.options, 0, sizeof(gather.options));
    gather.options.reference_ns = asked->reference_ns;
    gather.options.reference_unix_ns = asked->reference_unix_ns;
    gather.options.capture_ns = clock_monotonic_ns();
    gather.options.since_ns = asked->since_ns;
    gather.options.verdict = gather.options.outcome = VERDICT_LIVE;
    gather.options.cpu_time = (struct process_cpu_time){
        .total_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
        .before_ns = asked->cpu_before_ns,
        .end = CPU_TIME_TO_CAPTURE,
    };
    memcpy(thread_filters, asked->thread_filters.bytes, asked->thread_filters.length);
    thread_filters[asked->thread_filters.length] = '\0';
    gather.options.thread_filters = thread_filters;
    gather.options.later_images = (uint32_t)asked->later_images;
    gather.fd = -1;
    gather.error = 0;
    gather.json_bytes = 0;
    progress_value_init(&gather.progress);
    atomic_store(&gather.is_finished, false);
    int error = own_thread_create(&gather.thread, gather_main, NULL);
    if (error == 0)
        gather.id = asked->gather_id;
    return error;
}

uint64_t agent_gather_id(void)
{
    return gather.id;
}

uint32_t agent_gather_proportion(void)
{
    return progress_value_get(&gather.progress);
}

bool agent_gather_take(int *fd, uint64_t *json_bytes, int *error)
{
    if (gather.id == 0 || !atomic_load(&gather.is_finished))
        return false;
    (void)pthread_join(gather.thread, NULL); /* it has finished */
    gather.id = 0;
    *fd = gather.fd;
    *json_bytes = gather.json_bytes;
    *error = gather.error;
    return true;
}

void agent_gather_wait(void)
{
    if (gather.id == 0)
        return;
    (void)pthread_join(gather.thread, NULL); /* fails only for a thread that is not ours */
    agent_gather_reset();
}

void agent_gather_reset(void)
{
    /* Not closed: the number is one of the agent's own table, and something else here. */
    gather.id = 0;
    gather.fd = -1;
}
