/* What the process calls itself: "postgres: checkpointer", "nginx: worker process".
 *
 * Programs write such a title over the arguments that they were started with, where ps finds it, or
 * name their main thread by prctl(); those that know profd say it (profd_set_process_name()). It is
 * shown in the arena's header, which always has the latest. Nobody is told when arguments are
 * written over, so who comes by compares them: samples, looks, fork, exec, the end. That is a few
 * nanoseconds, and no system call: the kernel puts arguments, environment and a terminating zero
 * where a process keeps them for life. Any thread; async-signal-safe. */
#ifndef PROFD_AGENT_PROCESS_TITLE_H
#define PROFD_AGENT_PROCESS_TITLE_H

#include <stdbool.h>

/* From the constructor, with the program's arguments as it was started. */
void process_title_initialize(int argument_count, char **arguments);

/* Shows the title as it is now, in the arena, if there is one; a dormant process wakes for it. */
void process_title_follow(void);

/* Whether it has one, of its own or its parent's. */
bool process_title_exists(void);

/* NAME is the program's own choice, before any other title; "": it has none. */
void process_title_choose(const char *name);

/* The program named its main thread so, by prctl(): a title where there is no other. */
void process_title_name_main_thread(const char *name);

/* In a forked child: it has its parent's title until it has one of its own. */
void process_title_after_fork_child(void);

#endif
