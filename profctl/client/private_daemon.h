/* A private profd for one command, with a socket in a private folder and a descriptor to talk to
 * it.
 *
 * The folder has mode 0711: programs that changed their user can still reach the socket, but nobody
 * else can list or change the folder. One thread. */
#ifndef PROFD_PROFCTL_PRIVATE_DAEMON_H
#define PROFD_PROFCTL_PRIVATE_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "profctl/failure.h"

struct private_daemon {
    pid_t pid;          /* 0: not running */
    int fd;             /* our end, for client_adopt(), which takes it over; -1: none */
    char directory[64]; /* "": none */
};

/* Starts the profd that is installed next to profctl. Returns false with FAILURE filled. */
bool private_daemon_start(struct private_daemon *daemon, struct failure *failure);

/* Returns the process that it launched last as its child; 0 if the kernel does not tell. That
 * process becomes our child if profd ends first. */
pid_t private_daemon_command(const struct private_daemon *daemon);

/* Waits for its end, which must have been requested, and kills it if that takes too long; then
 * removes the folder. Returns true if it ended by itself with an error, which it has then printed
 * on our standard error. Safe on a zeroed struct. */
bool private_daemon_end(struct private_daemon *daemon);

#endif
