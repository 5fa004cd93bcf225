/* The terminal that profd and its command share, if there is one.
 *
 * A command in a process group of its own must be the terminal's foreground group to read from it
 * and to get Ctrl-C. profd hands the terminal over and takes it back, as a shell does. Loop
 * thread. */
#ifndef PROFD_DAEMON_TERMINAL_H
#define PROFD_DAEMON_TERMINAL_H

#include <sys/types.h>

/* The descriptor of the terminal if it is ours to give: standard input is a terminal and our group
 * is in its foreground. Otherwise -1. */
int terminal_ours(void);

/* Make GROUP the foreground group, or profd's own group again. SIGTTOU must be ignored. It is no
 * error if the terminal has disappeared in the meantime. */
void terminal_give(int terminal_fd, pid_t group);
void terminal_take_back(int terminal_fd);

#endif
