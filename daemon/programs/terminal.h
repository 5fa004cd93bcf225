/* The terminal that profd and its command share, when there is one.
 *
 * A command in a process group of its own must be the terminal's foreground group to read it and to
 * get Ctrl-C; profd hands it over and takes it back, as a shell does. Loop thread. */
#ifndef PROFD_DAEMON_TERMINAL_H
#define PROFD_DAEMON_TERMINAL_H

#include <sys/types.h>

/* The descriptor of the terminal when it is ours to give: standard input is one and our group is in
 * its foreground. Else -1. */
int terminal_ours(void);

/* Makes GROUP, or profd's own again, the foreground group. Needs SIGTTOU ignored; a terminal that
 * has gone meanwhile is nobody's loss. */
void terminal_give(int terminal_fd, pid_t group);
void terminal_take_back(int terminal_fd);

#endif
