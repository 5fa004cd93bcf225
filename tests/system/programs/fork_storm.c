/* Forks without pause until its standard input ends. The status is 1 when a child has other
 * standard streams than this process. */
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

enum { MARKERS = 200 };

static int is_whole(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            return 0;
    return 1;
}

int main(void)
{
    struct pollfd input = { .fd = 0, .events = POLLIN };
    while (poll(&input, 1, 0) == 0) {
        int status;
        for (int i = 0; i < MARKERS; i++)
            PROFD_MARKER_TEXT("forking", PROFD_CATEGORY_OTHER, "some text to make json of");
        pid_t child = fork();
        if (child == 0)
            _exit(is_whole() ? 0 : 1);
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return 0;
}
