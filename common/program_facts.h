/* Why a program will not be profiled, judged from outside: from its file and its environment.
 *
 * Used by the agent of a process that calls exec, and by profd for processes that it finds in
 * /proc. The result is a guess: a program that says hello nevertheless is profiled. Plain system
 * calls on descriptors that are closed again; nothing allocates; safe between vfork and exec, and
 * in a signal handler. */
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
    bool raises_privileges; /* setuid, setgid, or capabilities of the file, or of the process */
    bool has_preload;       /* LD_PRELOAD names the agent's library */
    bool is_disabled;       /* PROFD_DISABLE=1 */
    enum program_sanitizer sanitizer; /* that it was built with */
    bool lets_agent_come_first;       /* ASAN_OPTIONS says so */
    bool is_out_of_reach;             /* the agent's library cannot be opened from where it runs */
    uint64_t descriptor_limit;
};

/* OBSTACLE_NONE if nothing keeps the agent out. Pure. */
enum recording_obstacle program_obstacle(const struct program_facts *facts);

/* Whether the program's sanitizer would abort it because of the agent. Pure. */
bool program_refuses_agent(const struct program_facts *facts);

/* Fills in what the file FD (borrowed; readable) shows, if it were run by the user of the calling
 * process. If it is a script, INTERPRETER (SIZE bytes) gets the path of its interpreter, else "".
 * Returns 0, or a negative errno: then nothing is known. */
int program_look(int fd, struct program_facts *facts, char *interpreter, size_t size);

/* The same for the file at PATH, relative to DIRECTORY_FD (as for openat), following interpreters.
 * Returns a descriptor of the program that would finally run, which the caller owns; or a negative
 * errno. */
int program_open(int directory_fd, const char *path, struct program_facts *facts);

/* The same if only the facts are needed. Returns 0 or a negative errno; -EACCES also if the file
 * may be read but not executed. */
int program_look_at(int directory_fd, const char *path, struct program_facts *facts);

/* Writes to OUT (SIZE bytes) where execvp would find NAME, relative to DIRECTORY_FD. SEARCH_PATH is
 * the value of PATH; NULL: the system's default. Returns 0, -ENOENT, or -ENAMETOOLONG. */
int program_find(int directory_fd, const char *name, const char *search_path, char *out,
                 size_t size);

/* Fills in what one variable ("NAME=VALUE") of the environment shows. */
void program_look_variable(const char *variable, struct program_facts *facts);

#endif
