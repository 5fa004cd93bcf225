/* Who may control profd, and whose programs it profiles.
 *
 * The socket is open to every user, since any user's program may be profiled. What a connection may
 * do is therefore decided by the credentials that the kernel reports for its other end. profd's own
 * user and root may do everything. Members of one group may start, stop and capture sessions, but
 * cannot make profd run a program as its own user. Pure, except for access_init() and
 * access_level_of(), which ask the system. Loop thread. */
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

/* Sets the owner to the user of this process. GROUP is a name or a number; NULL means no group.
 * With TAKES_ALL_AGENTS, programs of every user are profiled. Returns 0, -ENOENT if there is no
 * such GROUP, or the negative errno of looking it up. */
int access_init(struct access *access, const char *group, bool takes_all_agents);

/* What a client of user UID may ask for; IS_IN_GROUP tells whether it is a member of the group. */
enum access_level access_level(const struct access *access, uid_t uid, bool is_in_group);

/* The same for the process at the other end of CONNECTION. */
enum access_level access_level_of(const struct access *access, const struct connection *connection);

/* Whether programs of UID may be profiled even though profd did not start them. */
bool access_takes_agent(const struct access *access, uid_t uid);

#endif
