/* The agent's descriptors in the program's process.
 *
 * They have high numbers and are used only while they are still the agent's: a program may close
 * every descriptor that it does not know, and get the same numbers for its own files. */
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

/* A descriptor's number and the identity of its file. */
struct descriptor_identity {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
};

/* Returns whether the calling thread may open COUNT more descriptors (2 at most). Opens and closes
 * them. */
bool descriptor_has_room(int count);

/* Returns the lowest number that the agent's descriptors may have. */
int descriptor_minimum(void);

/* Moves FD to a high number. Returns that number, or a negative errno with FD untouched. */
int descriptor_move_high(int fd);

/* Remembers the file that FD currently refers to. */
void descriptor_remember(enum descriptor_role role, int fd);

/* Returns whether the remembered number still refers to that file. False if none is remembered. */
bool descriptor_is_ours(enum descriptor_role role);

/* Returns the remembered number if it still refers to that file, else -1. */
int descriptor_number(enum descriptor_role role);

/* Returns what is currently remembered. */
struct descriptor_identity descriptor_identity(enum descriptor_role role);

/* Closes the descriptor of IDENTITY in the calling thread's descriptor table, if it is there. Other
 * tables keep theirs, and the number stays remembered. */
void descriptor_close_here(const struct descriptor_identity *identity);

/* Closes the descriptor if it is still the agent's, and forgets it. */
void descriptor_close(enum descriptor_role role);

#endif
