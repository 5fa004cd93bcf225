/* prefork: a small server of many processes, to be profiled.
 *
 *     prefork [WORKERS [THREADS]]
 *
 * Listens on a free port of the loopback address, prints the port, forks WORKERS processes with
 * THREADS threads each, replaces those that die, and ends on SIGTERM or SIGINT. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

#include "examples/prefork/worker.h"

enum { MAX_WORKERS = 64 };

struct server {
    int listener;
    unsigned worker_count, thread_count;
    pid_t workers[MAX_WORKERS]; /* 0: not running */
    sigset_t signals;           /* that the parent waits for */
};

static int listen_on_loopback(int *listener)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*listener < 0 || bind(*listener, (struct sockaddr *)&address, length) < 0 ||
        listen(*listener, SOMAXCONN) < 0 ||
        getsockname(*listener, (struct sockaddr *)&address, &length) < 0)
        return -errno;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return 0;
}

static int start_worker(struct server *server, unsigned index)
{
    pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        _exit(worker_run(server->listener, index, server->thread_count));
    PROFD_MARKER("worker started", PROFD_CATEGORY_OTHER);
    server->workers[index] = pid;
    return 0;
}

/* Takes note of the workers that ended, and starts others in their places. */
static int replace_workers(struct server *server)
{
    pid_t pid;
    int error = 0;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
        for (unsigned i = 0; i < server->worker_count; i++) {
            if (server->workers[i] != pid)
                continue;
            fprintf(stderr, "prefork: worker %u died, starting another\n", i);
            server->workers[i] = 0;
            error = start_worker(server, i);
        }
    }
    return error;
}

/* Until SIGTERM or SIGINT. */
static int supervise(struct server *server)
{
    for (;;) {
        int signal_number = sigwaitinfo(&server->signals, NULL);
        if (signal_number == SIGTERM || signal_number == SIGINT)
            return 0;
        int error = signal_number == SIGCHLD ? replace_workers(server) : 0;
        if (error < 0)
            return error;
    }
}

static void stop_workers(struct server *server)
{
    for (unsigned i = 0; i < server->worker_count; i++) {
        if (server->workers[i] > 0)
            kill(server->workers[i], SIGTERM);
    }
    for (unsigned i = 0; i < server->worker_count; i++) {
        if (server->workers[i] > 0)
            waitpid(server->workers[i], NULL, 0);
    }
}

static unsigned parse_count(int argc, char **argv, int position, unsigned usual, unsigned maximum)
{
    long count = position < argc ? strtol(argv[position], NULL, 10) : (long)usual;
    return count < 1 ? 1 : count > (long)maximum ? maximum : (unsigned)count;
}

int main(int argc, char **argv)
{
    struct server server = { .worker_count = parse_count(argc, argv, 1, 4, MAX_WORKERS),
                             .thread_count = parse_count(argc, argv, 2, 4, WORKER_MAX_THREADS) };
    sigemptyset(&server.signals);
    sigaddset(&server.signals, SIGTERM);
    sigaddset(&server.signals, SIGINT);
    sigaddset(&server.signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &server.signals, NULL);

    int error = listen_on_loopback(&server.listener);
    for (unsigned i = 0; i < server.worker_count && error == 0; i++)
        error = start_worker(&server, i);
    if (error == 0)
        error = supervise(&server);
    stop_workers(&server);
    if (error == 0)
        return EXIT_SUCCESS;
    errno = -error;
    perror("prefork");
    return EXIT_FAILURE;
}
