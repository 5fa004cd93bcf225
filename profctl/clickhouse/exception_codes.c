#include "profctl/clickhouse/exception_codes.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_LIMIT_EXCEEDED = 241 };

/* The server's disk, memory and load, other servers of its cluster, and who may do what. They have
 * had these numbers in all versions. */
static const unsigned passing[] = {
    74,  /* CANNOT_READ_FROM_FILE_DESCRIPTOR */
    75,  /* CANNOT_WRITE_TO_FILE_DESCRIPTOR */
    76,  /* CANNOT_OPEN_FILE */
    159, /* TIMEOUT_EXCEEDED */
    160, /* TOO_SLOW */
    164, /* READONLY */
    172, /* CANNOT_CREATE_DIRECTORY */
    173, /* CANNOT_ALLOCATE_MEMORY */
    192, /* UNKNOWN_USER */
    193, /* WRONG_PASSWORD */
    194, /* REQUIRED_PASSWORD */
    195, /* IP_ADDRESS_NOT_ALLOWED */
    198, /* DNS_ERROR */
    201, /* QUOTA_EXPIRED */
    202, /* TOO_MANY_SIMULTANEOUS_QUERIES */
    203, /* NO_FREE_CONNECTION */
    204, /* CANNOT_FSYNC */
    209, /* SOCKET_TIMEOUT */
    210, /* NETWORK_ERROR */
    214, /* CANNOT_STATVFS */
    216, /* QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING */
    225, /* NO_ZOOKEEPER */
    236, /* ABORTED */
    242, /* TABLE_IS_READ_ONLY */
    243, /* NOT_ENOUGH_SPACE */
    244, /* UNEXPECTED_ZOOKEEPER_ERROR */
    252, /* TOO_MANY_PARTS */
    254, /* NO_ACTIVE_REPLICAS */
    279, /* ALL_CONNECTION_TRIES_FAILED */
    285, /* TOO_FEW_LIVE_REPLICAS */
    286, /* UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE */
    289, /* REPLICA_IS_NOT_IN_QUORUM */
    291, /* DATABASE_ACCESS_DENIED */
    319, /* UNKNOWN_STATUS_OF_INSERT */
    369, /* ALL_REPLICAS_ARE_STALE */
    394, /* QUERY_WAS_CANCELLED */
    415, /* ALL_REPLICAS_LOST */
    416, /* REPLICA_STATUS_CHANGED */
    425, /* SYSTEM_ERROR */
    439, /* CANNOT_SCHEDULE_TASK */
    473, /* DEADLOCK_AVOIDED */
    497, /* ACCESS_DENIED */
    499, /* S3_ERROR */
    516, /* AUTHENTICATION_FAILED */
    519, /* NO_REMOTE_SHARD_AVAILABLE */
    574, /* DISTRIBUTED_TOO_MANY_PENDING_BYTES */
    745, /* SERVER_OVERLOADED */
    999, /* KEEPER_EXCEPTION */
};

unsigned exception_code_read(const char *text)
{
    static const char name[] = "Code: ";
    const char *place = text;

    while ((place = strstr(place, name)) != NULL) {
        place += strlen(name);
        if (isdigit((unsigned char)*place))
            return (unsigned)strtoul(place, NULL, 10);
    }
    return 0;
}

/* A request that is too large for what one may have stays so. */
static bool is_of_request(const char *text)
{
    return strcasestr(text, "(for query)") != NULL ||
           strcasestr(text, "query memory limit") != NULL;
}

bool exception_passes(unsigned code, const char *text)
{
    if (code == MEMORY_LIMIT_EXCEEDED)
        return !is_of_request(text);
    for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
        if (passing[i] == code)
            return true;
    return false;
}
