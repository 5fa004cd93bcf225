/* A profd of our own, for one command: on a socket in a private folder, and a descriptor to talk.
 *
 * The folder has mode 0711: programs that changed user still find the socket, nobody else can list
 * or change it. One thread. */
#ifndef PROFD_PROFCTL_PRIVATE_DAEMON_H
#define PROFD_PROFCTL_PRIVATE_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "profctl/failure.h"

struct private_daemon {
    pid_t pid;          /* 0: not running */
    int fd;             /* our end, for client_adopt(), which takes it; -1: none */
    char directory[64]; /* "" none */
};

/* Starts the profd that is installed beside us. */
bool private_daemon_start(struct private_daemon *daemon, struct failure *failure);

/* The process that it launched last, as its child, or 0: the kernel doesn't tell. That process
 * becomes our own child when profd ends before it. */
pid_t private_daemon_command(const struct private_daemon *daemon);

/* Waits for its end, which must have been asked for, and kills it when that takes too long; removes
 * the folder. True when it ended by itself with an error, and has said which, on our standard
 * error. Safe on a zeroed struct. */
bool private_daemon_end(struct private_daemon *daemon);

#endif
