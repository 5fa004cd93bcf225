/* active_flag FILE: burns CPU time, and keeps in FILE whether a session records it: "1" or "0".
 * Until it is killed. */
#include <fcntl.h>
#include <profd.h>
#include <unistd.h>

#include "tests/system/programs/idle_thread.h"

static volatile unsigned long count;

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

    if (fd < 0 || idle_thread_if_wanted() != 0)
        return 1;
    for (;;) {
        for (int i = 0; i < 1000000; i++)
            count++;
        if (pwrite(fd, profd_is_active() ? "1" : "0", 1, 0) != 1)
            return 1;
    }
}
