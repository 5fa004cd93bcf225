/* The agent's descriptors in somebody else's process.
 *
 * They sit out of the way of low numbers, and are used only while they are still ours: a program
 * may close every descriptor it doesn't know and get the same numbers back for files of its own. */
#ifndef PROFD_AGENT_DESCRIPTOR_H
#define PROFD_AGENT_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

enum descriptor_role {
    DESCRIPTOR_ARENA = 0,
    DESCRIPTOR_SOCKET = 1,
    DESCRIPTOR_LINE = 2,
    DESCRIPTOR_ROLE_COUNT
};

/* A number, and the file that it is of. */
struct descriptor_identity {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
};

/* Whether the calling thread may open COUNT more (2 at most). Opens and closes them. */
bool descriptor_has_room(int count);

/* The lowest number that the agent's descriptors may have. */
int descriptor_minimum(void);

/* Moves FD to a high number; returns it, or a negative errno with FD untouched. */
int descriptor_move_high(int fd);

/* Remembers which file FD is now. */
void descriptor_remember(enum descriptor_role role, int fd);

/* Whether the remembered number still is that file. False when none is remembered. */
bool descriptor_is_ours(enum descriptor_role role);

/* The remembered number if it still is that file, else -1. */
int descriptor_number(enum descriptor_role role);

/* What is remembered now. */
struct descriptor_identity descriptor_identity(enum descriptor_role role);

/* Closes what IDENTITY is of in the calling thread's table of descriptors, if it is there: other
 * tables keep theirs, and the number stays remembered. */
void descriptor_close_here(const struct descriptor_identity *identity);

/* Closes it if it is ours, and forgets it. */
void descriptor_close(enum descriptor_role role);

#endif
