/* Captures that the program makes of itself: profd_capture_to_fd(). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/own_profile.h"
#include "child-agent/program/second_session.h"
#include "child-agent/program/session_of_all.h"
#include "child-agent/program_call.h"
#include "child-agent/session.h"
#include "common/apart.h"
#include "profd_session.h"

/* What the thread that writes is given, and what became of it. One at a time. */
static struct {
    struct session_settings settings;
    uint64_t since_ns; /* 0: all of the session */
    int fd;
    int error;
} capture LARGE_APART;

static int check_descriptor(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) != 0 ? -EBADF : 0;
}

/* A json_sink_write into the program's descriptor, which may be one that does not block. */
static int write_all(void *context, const char *bytes, size_t n)
{
    struct pollfd out = { .fd = *(const int *)context, .events = POLLOUT };
    while (n > 0) {
        ssize_t written = write(out.fd, bytes, n);
        if (written >= 0) {
            bytes += written;
            n -= (size_t)written;
        } else if (errno == EAGAIN) {
            (void)poll(&out, 1, -1); /* the next write tells what is the matter */
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

static void *capture_main(void *unused)
{
    own_thread_set_name("profd-capture");
    (void)own_thread_leave_descriptors_but(capture.fd);
    capture.error = own_profile_write(&capture.settings, capture.since_ns, write_all, &capture.fd);
    return unused;
}

/* On a thread of the agent's own: it has the stack that this takes, no signal disturbs it (that of
 * a pipe that nobody reads would kill), and the program's descriptors keep their numbers. */
static int write_on_own_thread(void)
{
    pthread_t thread;
    int error = own_thread_create(&thread, capture_main, NULL);
    if (error < 0)
        return error;
    (void)pthread_join(thread, NULL); /* fails only for a thread that is not ours */
    return capture.error;
}

/* The program's own, where it has one. */
static void choose_session(void)
{
    const struct session_settings *second = second_session_get(&capture.since_ns);
    if (second == NULL)
        capture.since_ns = 0;
    capture.settings = second != NULL ? *second : *session_get_settings();
}

/* Readies what is recorded to be read; *RECORDING tells its session. */
static int prepare_recording(uint32_t *recording)
{
    int error = -ESRCH;
    if (!agent_thread_hold())
        return -EAGAIN;
    if (session_is_active()) {
        session_flush();
        choose_session();
        *recording = core_local.recording_generation;
        error = 0;
    }
    agent_thread_release();
    return error;
}

static int capture_session(int fd)
{
    uint32_t recording;
    int error = check_descriptor(fd);
    if (error == 0 && session_of_all_is_active())
        return session_of_all_capture(fd);
    if (error == 0)
        error = prepare_recording(&recording);
    if (error < 0)
        return error;
    capture.fd = fd;
    error = write_on_own_thread();
    return error == 0 && core_local.recording_generation != recording ? -ECANCELED : error;
}

int profd_capture_to_fd(int fd)
{
    struct program_call call;
    int error = program_call_begin(&call);
    if (error < 0)
        return error;
    error = capture_session(fd);
    program_call_end(&call);
    return error;
}
