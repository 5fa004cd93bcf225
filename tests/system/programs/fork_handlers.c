/* fork_handlers [unregistered]: forks with handlers of its own that were there before the agent's,
 * so that they run between those. They record, name the thread, make one and allocate. With
 * "unregistered", the forking thread is one that the agent does not know. */
#include <profd.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 20000, BYTES = 100 };

PROFD_COUNTER(handled, "handled", "Work", "calls of handlers");

static void *volatile sink;

static void *do_nothing(void *unused)
{
    return unused;
}

static void record_marker(void)
{
    PROFD_LABEL_SCOPE("handler", PROFD_CATEGORY_OTHER);
    PROFD_MARKER_TEXT("handler", PROFD_CATEGORY_OTHER, "called");
    PROFD_LABEL_SCOPE_TEXT("text of a handler", PROFD_CATEGORY_OTHER);
    profd_counter_add(&handled, 1);
}

static void handle_fork(void)
{
    pthread_t thread;
    record_marker();
    pthread_setname_np(pthread_self(), "handler");
    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
    for (int i = 0; i < CALLS; i++) {
        sink = malloc(BYTES);
        free(sink);
    }
}

static void register_early(void)
{
    if (pthread_atfork(handle_fork, handle_fork, handle_fork) != 0)
        abort();
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = register_early;

int main(int argc, char **argv)
{
    int status = 1;
    if (argc > 1 && argv[1][0] != '\0')
        profd_unregister_thread();
    pid_t child = fork();
    if (child == 0) {
        PROFD_MARKER("in the child", PROFD_CATEGORY_OTHER);
        exit(0);
    }
    PROFD_MARKER("in the parent", PROFD_CATEGORY_OTHER);
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}
