/* turns WAY SECONDS: does something by which a process without much to record was once lost to the
 * profiler, then uses so much CPU time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static void rename_thread(void)
{
    pthread_setname_np(pthread_self(), "renamed");
}

/* As launchers do before an exec; the parent goes on as it was. */
static void let_child_give_up_privileges(void)
{
    pid_t child = vfork();
    if (child == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        _exit(0);
    }
    if (child > 0)
        (void)waitpid(child, NULL, 0);
}

/* As servers do that are to stay what they are, without a filter. */
static void give_up_privileges(void)
{
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void *do_nothing(void *argument)
{
    return argument;
}

static void make_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0)
        (void)pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(void);
    } ways[] = { { "rename", rename_thread },
                 { "privileges", give_up_privileges },
                 { "child-privileges", let_child_give_up_privileges },
                 { "thread", make_thread } };
    for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(argv[1], ways[i].name) == 0)
            ways[i].make();
    }
    burn_outer(argc > 2 ? atof(argv[2]) : 0.1);
    return 0;
}
