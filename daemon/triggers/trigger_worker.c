#include "daemon/triggers/trigger_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/children/spawn.h"

/* profd's environment with PROFD_DISABLE: the worker is no part of what is profiled. Freed with
 * free(). */
static char **worker_environment(void)
{
    static char disable[] = "PROFD_DISABLE=1";
    size_t count = 0;

    while (environ[count] != NULL)
        count++;
    char **environment = malloc((count + 2) * sizeof(*environment));
    if (environment == NULL)
        return NULL;
    memcpy(environment + 1, environ, (count + 1) * sizeof(*environment));
    environment[0] = disable;
    return environment;
}

static int launch_profctl(struct trigger_worker *worker, const char *program, const char *socket,
                          int directory_fd, const char *name, uint64_t last_ms)
{
    char last[32];
    char *arguments[] = { (char *)program,
                          (char *)"--quiet",
                          (char *)"--socket",
                          (char *)socket,
                          (char *)"capture",
                          (char *)"-o",
                          (char *)name,
                          last_ms > 0 ? (char *)"--last" : NULL,
                          last,
                          NULL };
    char **environment = worker_environment();

    snprintf(last, sizeof(last), "%" PRIu64 "ms", last_ms);
    struct spawn_options options = {
        .arguments = arguments,
        .environment = environment,
        .directory_fd = directory_fd,
        .output_fd = worker->output_fd,
        .own_group = true, /* Ctrl-C is not for it */
        .terminal_fd = -1,
    };
    int error = environment != NULL ? spawn(&options, &worker->pid, &worker->status_fd) : -ENOMEM;

    free(environment);
    return error;
}

int trigger_worker_start(struct trigger_worker *worker, const char *program, const char *socket,
                         int directory_fd, const char *name, uint64_t last_ms)
{
    char *whole_socket = realpath(socket, NULL);
    int error = whole_socket != NULL ? 0 : -errno;

    if (error == 0) {
        worker->output_fd = memfd_create("profd-trigger-worker", MFD_CLOEXEC);
        error = worker->output_fd < 0 ? -errno : 0;
    }
    if (error == 0) {
        error = launch_profctl(worker, program, whole_socket, directory_fd, name, last_ms);
        if (error < 0)
            close(worker->output_fd);
    }
    free(whole_socket);
    return error;
}

/* The last line that the worker said, without its own name in front. */
static void read_words(const struct trigger_worker *worker, char text[TRIGGER_WORKER_TEXT_BYTES])
{
    static const char own_name[] = "profctl: ";
    char said[4 * TRIGGER_WORKER_TEXT_BYTES];
    ssize_t length = pread(worker->output_fd, said, sizeof(said) - 1, 0);

    said[length > 0 ? length : 0] = '\0';
    char *end = said + strlen(said);
    while (end > said && end[-1] == '\n')
        *--end = '\0';
    char *line = strrchr(said, '\n');
    line = line != NULL ? line + 1 : said;
    if (strncmp(line, own_name, strlen(own_name)) == 0)
        line += strlen(own_name);
    snprintf(text, TRIGGER_WORKER_TEXT_BYTES, "%.*s", TRIGGER_WORKER_TEXT_BYTES - 1, line);
}

static int judge_exit(const struct trigger_worker *worker, int wait_status, char *text)
{
    struct spawn_failure failure;

    if (read(worker->status_fd, &failure, sizeof(failure)) == (ssize_t)sizeof(failure)) {
        snprintf(text, TRIGGER_WORKER_TEXT_BYTES, "%s: %s",
                 failure.stage == SPAWN_DIRECTORY
                     ? "cannot enter its working directory"
                     : "profctl cannot be run; install it beside profd",
                 strerror(-failure.error));
        return failure.error < 0 ? failure.error : -EIO;
    }
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return 0;
    if (WIFSIGNALED(wait_status))
        snprintf(text, TRIGGER_WORKER_TEXT_BYTES, "its worker was killed by signal %d",
                 WTERMSIG(wait_status));
    else if (text[0] == '\0')
        snprintf(text, TRIGGER_WORKER_TEXT_BYTES, "its worker exited with %d",
                 WEXITSTATUS(wait_status));
    return -EIO;
}

int trigger_worker_finish(struct trigger_worker *worker, int wait_status,
                          char text[TRIGGER_WORKER_TEXT_BYTES])
{
    read_words(worker, text);
    int error = judge_exit(worker, wait_status, text);
    close(worker->output_fd);
    close(worker->status_fd);
    worker->pid = 0;
    return error;
}
