/* profd-keeper: a part of profd, which starts it when it is to be found again after a crash. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "daemon/keeping/keeper.h"
#include "daemon/keeping/left_files.h"
#include "ipc/ledger_file.h"

/* A reader of profd's output would wait for the keeper's end. */
static int leave_streams(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return -1;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (dup2(fd, stream) < 0)
            return -1;
    }
    return fd > STDERR_FILENO ? close(fd) : 0;
}

/* It has a descriptor for each process, and ends when profd says so. */
static void prepare_process(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* else it keeps fewer */
    }
    (void)signal(SIGHUP, SIG_IGN); /* signals that there are */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    clock_initialize();
}

/* The next profd finds a ledger that is in no file where HOLDER has it. */
static int refer_to_ledger(const char *socket_path, pid_t holder)
{
    int error = ledger_file_refer(socket_path, holder, KEEPER_LEDGER_FD);
    if (error < 0)
        fprintf(stderr, "profd-keeper: cannot write %s" LEDGER_FILE_SUFFIX ": %s\n", socket_path,
                strerror(-error));
    return error;
}

/* A child of nobody that is looked at: profd's children are the program's. */
static void detach_process(const char *socket_path, bool has_ledger)
{
    pid_t child = fork();

    if (child > 0)
        _exit(has_ledger && refer_to_ledger(socket_path, child) < 0 ? 1 : 0);
    (void)setsid(); /* without, it is in a group of its own all the same */
}

int main(int argc, char **argv)
{
    struct left_files left = { 0 };

    if (fcntl(KEEPER_PROFD_FD, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(KEEPER_LISTENING_FD, F_SETFD, FD_CLOEXEC) < 0) {
        fputs("profd-keeper: this is a part of profd, which starts it; see profd(8)\n", stderr);
        return 2;
    }
    if (argc > 1)
        left_files_note(&left, argv[1]);
    bool has_ledger = argc > 1 && fcntl(KEEPER_LEDGER_FD, F_SETFD, FD_CLOEXEC) == 0;
    detach_process(argv[1], has_ledger);
    if (leave_streams() < 0) {
        perror("profd-keeper: cannot open /dev/null");
        return 1;
    }
    prepare_process();
    if (keeper_run(KEEPER_PROFD_FD, KEEPER_LISTENING_FD, has_ledger ? KEEPER_LEDGER_FD : -1))
        left_files_remove(&left);
    return 0;
}
