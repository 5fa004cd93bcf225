/* Questions to /proc about processes that need not be profd's children. Nothing here blocks for
 * long. */
#ifndef PROFD_DAEMON_PROCESS_TREE_H
#define PROFD_DAEMON_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* True when ANCESTOR is the parent of PID, or its parent's … False too when PID is gone. */
bool process_descends_from(pid_t pid, pid_t ancestor);

/* When PID was started, in the kernel's ticks: two processes that had the same pid differ in it. 0
 * when it has ended, also when nobody has reaped it yet. */
uint64_t process_start_ticks(pid_t pid);

/* True when TARGET (LENGTH bytes), what the kernel calls a process' program, may be EXECUTABLE as
 * the process itself calls it: the kernel says "PATH (deleted)" of a file that was replaced
 * meanwhile, and puts the new root's path before the path of a process that changed its root. Pure.
 */
bool process_is_program(const char *target, size_t length, const char *executable);

/* True when PID lives and is known to run another program than EXECUTABLE, the path that it was
 * started by: that may be a link, have "." in it, or be a script. False when that cannot be told,
 * as of a program whose file was removed. */
bool process_runs_other_program(pid_t pid, const char *executable);

/* True when PID lives and is known to run EXECUTABLE. */
bool process_runs_program(pid_t pid, const char *executable);

#endif
