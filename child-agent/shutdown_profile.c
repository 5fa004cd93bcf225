#include "child-agent/shutdown_profile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/agent_thread.h"
#include "child-agent/environment.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/guest/replaced_file.h"
#include "child-agent/guest/say.h"
#include "child-agent/own_profile.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "common/apart.h"
#include "common/output_pattern.h"

static LARGE_EARLY char pattern[ENVIRONMENT_PATTERN_BYTES]; /* "": no profile */
static LARGE_APART char folder[PATH_MAX]; /* that it is relative to, with a slash at its end */

/* What the thread that writes is given, and what became of it. */
struct job {
    char path[PATH_MAX];
    int error;
};

static int path_now(char out[PATH_MAX])
{
    const struct output_event event = { .pid = getpid(), .unix_s = time(NULL), .name = "exit" };
    char name[PATH_MAX];
    int error = output_pattern_expand(pattern, &event, name);
    if (error < 0)
        return error;
    int length = snprintf(out, PATH_MAX, "%s%s", name[0] == '/' ? "" : folder, name);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int shutdown_profile_prepare(const char *wanted)
{
    char path[PATH_MAX];
    if (strlen(wanted) >= sizeof(pattern))
        return -ENAMETOOLONG;
    strcpy(pattern, wanted);
    if (getcwd(folder, sizeof(folder) - 1) != NULL)
        strcat(folder, "/");
    int error = path_now(path);
    if (error == 0)
        error = replaced_file_check(path);
    if (error < 0)
        pattern[0] = '\0';
    return error;
}

/* What is in the way of a session, and what the user can do about it. */
static const char *failure_advice(int error)
{
    switch (error) {
    case -EFBIG:
        return "the limit on file sizes leaves no room for recordings (raise it: ulimit -f)";
    case -EMFILE:
        return "the program may open no more descriptors (raise the limit: ulimit -n)";
    case -EAGAIN:
        return "no thread can be created (raise the limits on processes and memory: ulimit -u, -v)";
    case -ENOMEM:
        return "there is no memory for recordings (raise the limits: ulimit -v, -d, or record "
               "less: PROFD_STARTUP_LIMIT)";
    default:
        return strerrordesc_np(-error);
    }
}

void shutdown_profile_cancel(int error)
{
    if (pattern[0] == '\0')
        return;
    say("PROFD_SHUTDOWN: %s; nothing is recorded", failure_advice(error));
    pattern[0] = '\0';
}

static int write_profile(const char *path)
{
    struct replaced_file file = { .fd = -1 };
    int error = replaced_file_begin(&file, path);
    if (error == 0)
        error = own_profile_write(session_last_settings(), 0, json_sink_fd, &file.fd);
    if (error == 0)
        error = replaced_file_commit(&file);
    replaced_file_abandon(&file);
    return error;
}

static void *write_main(void *argument)
{
    struct job *job = argument;
    own_thread_set_name("profd-shutdown");
    (void)own_thread_leave_descriptors(false);
    job->error = write_profile(job->path);
    return NULL;
}

/* On a thread of the agent's own: it has the stack that this takes, no signal disturbs it (that of
 * a limit on file sizes would kill), and the program's descriptors keep their numbers. */
static int write_on_own_thread(struct job *job)
{
    pthread_t thread;
    int error = own_thread_create(&thread, write_main, job);
    if (error < 0)
        return error;
    (void)pthread_join(thread, NULL); /* fails only for a thread that is not ours */
    return job->error;
}

bool shutdown_profile_is_wanted(void)
{
    return pattern[0] != '\0';
}

void shutdown_profile_write(void)
{
    static LARGE_APART struct job job;
    if (pattern[0] == '\0')
        return;
    (void)agent_thread_hold(); /* a profile that may lack its end is better than none */
    if (!session_has_records()) {
        if (session_was_ended())
            say("PROFD_SHUTDOWN: profd ended the session; no profile is written (earlier captures "
                "have what was recorded)");
    } else {
        int error = path_now(job.path);
        sampler_set_paused(true);
        if (error == 0)
            error = write_on_own_thread(&job);
        if (error < 0)
            say("cannot write the profile to %s: %s", job.path, strerrordesc_np(-error));
    }
    agent_thread_release();
}
