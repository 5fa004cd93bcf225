/* A server that gives itself and its children titles: titles FOLDER. Each child does one thing:
 *
 * "titles: brief" ends by _exit() at once, "titles: busy" when it has burnt some CPU time,
 * "titles: killed" is killed by itself after that, "titles: execer" becomes true(1), one names only
 * its main thread "titled thread", one has no title of its own, and "titles: idle" waits
 * for the file FOLDER/end, as the server does. FOLDER/ready is there when all others have ended. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { CHILDREN_THAT_END = 6, WAIT_US = 10000 };

static const char *folder;
static char *area; /* arguments and environment, which lie side by side */
static size_t area_bytes;

static void find_area(char **argv)
{
    char *end = argv[0];
    for (char **next = argv; *next != NULL; next++)
        if (*next == end)
            end += strlen(end) + 1;
    for (char **next = environ; *next != NULL; next++)
        if (*next == end)
            end += strlen(end) + 1;
    area = argv[0];
    area_bytes = (size_t)(end - area);
}

static void move_environment(void)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = strdup(environ[i]);
    environ = copy;
}

/* As setproctitle() does. */
static void set_title(const char *title)
{
    memset(area, 0, area_bytes);
    snprintf(area, area_bytes, "%s", title);
}

static void wait_for_end(void)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/end", folder);
    while (access(path, F_OK) < 0)
        usleep(WAIT_US);
}

static void be_brief(void)
{
    set_title("titles: brief");
    _exit(0);
}

static void be_busy(void)
{
    set_title("titles: busy   ");
    burn_outer(0.1);
}

static void be_killed(void)
{
    set_title("titles: killed");
    burn_outer(0.1);
    raise(SIGKILL);
}

static void become_true(void)
{
    set_title("titles: execer");
    burn_outer(0.05);
    execlp("true", "true", NULL);
}

static void name_thread(void)
{
    prctl(PR_SET_NAME, "titled thread");
}

static void do_nothing(void)
{
}

static void be_idle(void)
{
    set_title("titles: idle");
    wait_for_end();
}

static void start_child(void (*work)(void))
{
    if (fork() != 0)
        return;
    work();
    exit(0);
}

static void announce_file(const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? strdup(argv[1]) : ".";
    find_area(argv);
    move_environment();
    set_title("titles: server");
    start_child(be_brief);
    start_child(be_busy);
    start_child(be_killed);
    start_child(become_true);
    start_child(name_thread);
    start_child(do_nothing);
    start_child(be_idle);
    for (int i = 0; i < CHILDREN_THAT_END; i++)
        wait(NULL);
    announce_file("ready");
    wait(NULL);
    return 0;
}
