/* Decides which connections may hold descriptors of profd before they have said what they are.
 *
 * The socket is open to every user, since a supervised program may change to any user. So
 * strangers, who are neither root nor profd's own user, get little: a few silent connections each
 * and a few more in all, one descriptor for each connection, and none of the reserve that is kept
 * for the owner. The owner and root are never turned away, but one of their programs that
 * misbehaves must leave descriptors for the others: beyond their share, each new connection
 * replaces the oldest silent one of theirs. Pure: no socket, no clock. Loop thread. */
#ifndef PROFD_DAEMON_ADMISSION_H
#define PROFD_DAEMON_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
    /* Programs of one user that start at the same moment get in at the first try. */
    ADMISSION_SILENT_OF_USER = 64,
    ADMISSION_SILENT_OF_ALL = 256,
    /* At most one in this many descriptors belongs to a silent stranger, whose first message may
     * bring SOCKET_MAX_DESCRIPTORS more. */
    ADMISSION_SILENT_SHARE = 8,
    /* One in this many is reserved for the owner. */
    ADMISSION_RESERVE_SHARE = 4,
    /* At most one in this many is held by silent connections of the owner and root, … */
    ADMISSION_OWNER_SHARE = 4,
    /* … each of which takes two: its own and the pidfd of its process. */
    ADMISSION_OWNER_DESCRIPTORS = 2,
    /* An agent says hello as soon as it is connected. */
    ADMISSION_STRANGER_MS = 2 * 1000,
    /* A frozen program of the owner may hold its place for this long. */
    ADMISSION_OWNER_MS = 10 * 1000,
};

struct admission {
    uid_t owner;
    size_t descriptors;  /* that profd may have */
    size_t silent;       /* of all strangers */
    size_t owner_silent; /* of the owner and root */
    size_t users;        /* strangers with silent connections, in no order */
    struct admission_user {
        uid_t uid;
        size_t silent;
    } user[ADMISSION_SILENT_OF_ALL];
};

/* Initializes ADMISSION. DESCRIPTORS is the process's descriptor limit. */
void admission_init(struct admission *admission, uid_t owner, size_t descriptors);

bool admission_is_stranger(const struct admission *admission, uid_t uid);

/* Returns whether UID's new connection, which has descriptor FD, may stay. If so, it is counted
 * until admission_leave(). The kernel gives out the lowest free number, so one in the reserve means
 * that all others are in use. */
bool admission_enter(struct admission *admission, uid_t uid, int fd);

/* Returns whether the owner and root have more silent connections than their share, so that one has
 * to leave. */
bool admission_owner_is_over(const struct admission *admission);

/* Called when a connection of UID that had entered has said what it is, or has gone. */
void admission_leave(struct admission *admission, uid_t uid);

#endif
