/* last_descriptors NUMBER: may open one file more than its three streams. It works, has a second
 * thread if NUMBER is 2, and works on. The status is 1 when that file cannot be opened. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { STREAMS = 3, PROBED = 4096 };

static void *work(void *unused)
{
    burn_outer(0.2);
    return unused;
}

int main(int argc, char **argv)
{
    const struct rlimit limit = { STREAMS + 1, STREAMS + 1 };
    pthread_t thread;

    /* What was inherited, at once: the agent is to find no descriptor when it begins. */
    if (argc != 2 || close_range(STREAMS, PROBED, 0) < 0 || setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 2;
    burn_outer(0.2);
    if (atoi(argv[1]) == 2 &&
        (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0))
        return 2;
    burn_outer(0.2);
    return open("/dev/null", O_RDONLY | O_CLOEXEC) == STREAMS ? 0 : 1;
}
