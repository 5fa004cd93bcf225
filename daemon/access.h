/* Who may control profd, and whose programs it profiles.
 *
 * The socket is open to every user, since a program that is profiled may be anybody's; so the
 * kernel's word about the other end of a connection decides. profd's own user and root may do all.
 * Members of one group may begin, end and capture sessions, but not have profd run a program as its
 * user. Pure but for access_init() and access_level_of(), which ask the system. Loop thread. */
#ifndef PROFD_DAEMON_ACCESS_H
#define PROFD_DAEMON_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct connection;

enum access_level { ACCESS_NONE, ACCESS_GROUP, ACCESS_OWNER };

struct access {
    uid_t owner;
    bool has_group;
    gid_t group;
    bool takes_all_agents;
};

/* For profd of this process' user. GROUP is a name or a number; NULL: none. TAKES_ALL_AGENTS:
 * programs of every user are profiled. 0, -ENOENT when there is no such GROUP, or a negative errno
 * of looking it up. */
int access_init(struct access *access, const char *group, bool takes_all_agents);

/* What a client of UID, which IS_IN_GROUP or not, may ask for. */
enum access_level access_level(const struct access *access, uid_t uid, bool is_in_group);

/* The same for the process at the other end of CONNECTION. */
enum access_level access_level_of(const struct access *access, const struct connection *connection);

/* Whether programs of UID may be profiled though profd did not start them. */
bool access_takes_agent(const struct access *access, uid_t uid);

#endif
