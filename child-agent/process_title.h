/* The title of the process, for example "postgres: checkpointer" or "nginx: worker process".
 *
 * A program writes such a title over the arguments that it was started with, where ps finds it, or
 * names its main thread with prctl(). Programs that know profd call profd_set_process_name(). The
 * arena's header always shows the latest title. Nothing tells the agent when arguments are
 * overwritten, so it compares them whenever it takes a sample, and at fork, exec and exit. That
 * takes a few nanoseconds and no system call, since the kernel puts the arguments, the environment
 * and a terminating zero where the process keeps them for life. Any thread; async-signal-safe. */
#ifndef PROFD_AGENT_PROCESS_TITLE_H
#define PROFD_AGENT_PROCESS_TITLE_H

#include <stdbool.h>

/* Called from the constructor with the arguments that the program was started with. */
void process_title_initialize(int argument_count, char **arguments);

/* Updates the title in the arena, if there is one. A dormant process with a new title is woken. */
void process_title_follow(void);

/* Returns whether the process has a title, its own or its parent's. */
bool process_title_exists(void);

/* Sets NAME as the title that the program chose itself. It takes precedence over any other title;
 * "" removes it. */
void process_title_choose(const char *name);

/* Notes that the program has named its main thread NAME with prctl(). This is the title if there is
 * no other. */
void process_title_name_main_thread(const char *name);

/* Called in a forked child, which keeps its parent's title until it has its own. */
void process_title_after_fork_child(void);

#endif
