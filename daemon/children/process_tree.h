/* Looks up processes, which need not be profd's children, in /proc. Nothing here blocks for
 * long. */
#ifndef PROFD_DAEMON_PROCESS_TREE_H
#define PROFD_DAEMON_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns whether ANCESTOR is the parent of PID, its parent's parent, and so on. False if PID is
 * gone. */
bool process_descends_from(pid_t pid, pid_t ancestor);

/* Returns when PID was started, in kernel ticks; it differs between two processes that had the same
 * pid. 0 if the process has ended, even if it was not reaped yet. */
uint64_t process_start_ticks(pid_t pid);

/* Returns whether TARGET (LENGTH bytes), the kernel's name for the program of a process, may be
 * EXECUTABLE, the process's own name for it. The kernel appends " (deleted)" to the path of a file
 * that was replaced meanwhile, and puts the new root's path before the path of a process that
 * changed its root. Pure. */
bool process_is_program(const char *target, size_t length, const char *executable);

/* Returns whether PID is alive and is known to run a program other than EXECUTABLE, the path by
 * which it was started, which may be a link, contain ".", or be a script. False if that cannot be
 * decided, for example because the program's file was removed. */
bool process_runs_other_program(pid_t pid, const char *executable);

/* Returns whether PID is alive and is known to run EXECUTABLE. */
bool process_runs_program(pid_t pid, const char *executable);

#endif
