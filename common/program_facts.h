/* Why a program will not be profiled, judged from outside: from its file and its environment.
 *
 * Both sides ask: the agent of a process that calls exec, and profd about a process that it meets
 * in /proc. What is found is a judgement, not the truth: a program that says hello all the same is
 * right. Plain system calls on descriptors that are closed again; nothing allocates; safe between
 * vfork and exec, and in a signal handler. */
#ifndef PROFD_COMMON_PROGRAM_FACTS_H
#define PROFD_COMMON_PROGRAM_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/program_sanitizer.h"
#include "common/recording_obstacle.h"

enum {
    /* Standard streams, and one each for the agent's socket and arena. */
    PROGRAM_LEAST_DESCRIPTORS = 5,
    /* Scripts whose interpreters are scripts: the kernel gives up sooner. */
    PROGRAM_MAX_SCRIPTS = 4,
};

struct program_facts {
    bool is_elf;            /* false: nothing is known of the file */
    bool is_foreign;        /* of a word size or machine that the agent's library is not for */
    bool has_interpreter;   /* it is started by the dynamic loader, which preloads */
    bool raises_privileges; /* setuid, setgid, or capabilities of the file */
    bool has_preload;       /* LD_PRELOAD names the agent's library */
    bool is_disabled;       /* PROFD_DISABLE=1 */
    enum program_sanitizer sanitizer; /* that it was built with */
    bool lets_agent_come_first;       /* ASAN_OPTIONS says so */
    bool is_out_of_reach;             /* the agent's library cannot be opened from where it runs */
    uint64_t descriptor_limit;
};

/* OBSTACLE_NONE when nothing keeps the agent out. Pure. */
enum recording_obstacle program_obstacle(const struct program_facts *facts);

/* Whether the sanitizer that it was built with would end it for the agent. Pure. */
bool program_refuses_agent(const struct program_facts *facts);

/* Fills in what the file behind FD (borrowed; readable) tells, as the calling process' user would
 * run it. When it is a script, INTERPRETER (SIZE bytes) gets the path of what runs it, else "". 0,
 * or a negative errno with facts that say nothing. */
int program_look(int fd, struct program_facts *facts, char *interpreter, size_t size);

/* The same for the file at PATH, relative to DIRECTORY_FD (as openat), through its interpreters.
 * Gives a descriptor of what would run in the end, which is the caller's; or a negative errno. */
int program_open(int directory_fd, const char *path, struct program_facts *facts);

/* The same when only the facts are asked for: 0 or a negative errno. -EACCES too when the file may
 * be read and not run. */
int program_look_at(int directory_fd, const char *path, struct program_facts *facts);

/* Where execvp would find NAME: in OUT (SIZE bytes), relative to DIRECTORY_FD. SEARCH_PATH is the
 * value of PATH, NULL: the system's own. -ENOENT, or -ENAMETOOLONG. */
int program_find(int directory_fd, const char *name, const char *search_path, char *out,
                 size_t size);

/* Fills in what one variable ("NAME=VALUE") of the environment tells. */
void program_look_variable(const char *variable, struct program_facts *facts);

#endif
