#include "daemon/access.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "ipc/connection.h"

static int find_group(const char *name, gid_t *out)
{
    char *end;

    errno = 0;
    const struct group *found = getgrnam(name);
    if (found != NULL) {
        *out = found->gr_gid;
        return 0;
    }
    if (errno != 0 && errno != ENOENT)
        return -errno;
    if (*name < '0' || *name > '9')
        return -ENOENT;
    errno = 0;
    unsigned long number = strtoul(name, &end, 10);
    if (errno != 0 || *end != '\0' || number >= UINT32_MAX)
        return -ENOENT;
    *out = (gid_t)number;
    return 0;
}

int access_init(struct access *access, const char *group, bool takes_all_agents)
{
    *access = (struct access){
        .owner = geteuid(),
        .has_group = group != NULL,
        .takes_all_agents = takes_all_agents,
    };
    return group != NULL ? find_group(group, &access->group) : 0;
}

enum access_level access_level(const struct access *access, uid_t uid, bool is_in_group)
{
    if (uid == 0 || uid == access->owner)
        return ACCESS_OWNER;
    return access->has_group && is_in_group ? ACCESS_GROUP : ACCESS_NONE;
}

enum access_level access_level_of(const struct access *access, const struct connection *connection)
{
    bool is_in_group = access->has_group && connection_peer_is_in_group(connection, access->group);

    return access_level(access, connection_peer(connection)->uid, is_in_group);
}

bool access_takes_agent(const struct access *access, uid_t uid)
{
    return access->takes_all_agents || uid == 0 || uid == access->owner;
}
