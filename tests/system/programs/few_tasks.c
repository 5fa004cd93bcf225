/* few_tasks UID MOST [full|changes|NAME]: as the user UID, who may have at most MOST tasks, makes
 * threads until there are no more places, and prints how many there were. If full, burns beside
 * them. If changes, lets them end and sets its capabilities, for which the agent's threads end for
 * a moment, while there is no place for another task; and makes threads as below. Else lets one
 * end, runs true(1) in its place by posix_spawn, and burns. Then, if it is profiled, makes threads
 * until that of the agent's, which gave way, is back; with NAME the one of that name, and no other.
 * Exits with 1 if something of that fails. */
#include <errno.h>
#include <glob.h>
#include <linux/capability.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { MOST_THREADS = 64 };

extern char **environ;
int capget(struct __user_cap_header_struct *header, struct __user_cap_data_struct *data);
int capset(struct __user_cap_header_struct *header, const struct __user_cap_data_struct *data);

static pthread_barrier_t *barrier_of(int index)
{
    static pthread_barrier_t barriers[MOST_THREADS];
    return &barriers[index];
}

static void *wait_thread(void *barrier)
{
    (void)pthread_barrier_wait(barrier);
    return NULL;
}

static int make_threads(pthread_t *threads)
{
    int count = 0;
    while (count < MOST_THREADS && pthread_barrier_init(barrier_of(count), NULL, 2) == 0 &&
           pthread_create(&threads[count], NULL, wait_thread, barrier_of(count)) == 0)
        count++;
    return count;
}

static void end_threads(const pthread_t *threads, int from, int to)
{
    for (int i = from; i < to; i++) {
        (void)pthread_barrier_wait(barrier_of(i));
        pthread_join(threads[i], NULL);
    }
}

/* A thread that was joined takes its place for a moment longer. */
static int run_true(void)
{
    char *arguments[] = { "true", NULL };
    int error, status;
    pid_t child;
    for (int i = 0; i < 30000; i++) {
        error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
        if (error != EAGAIN)
            break;
        usleep(1000);
    }
    return error == 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* How many threads there are of the agent's; *OTHERS: that are not called NAME. */
static int count_agent_threads(const char *name, int *others)
{
    glob_t names;
    int count = 0;
    *others = 0;
    if (glob("/proc/self/task/*/comm", 0, NULL, &names) != 0)
        return 0;
    for (size_t i = 0; i < names.gl_pathc; i++) {
        char line[32] = "";
        FILE *file = fopen(names.gl_pathv[i], "r");
        if (file != NULL && fgets(line, sizeof(line), file) != NULL &&
            strncmp(line, "profd-", 6) == 0) {
            count++;
            line[strcspn(line, "\n")] = '\0';
            *others += strcmp(line, name) != 0;
        }
        if (file != NULL)
            fclose(file);
    }
    globfree(&names);
    return count;
}

/* Meanwhile there is no place for another task. */
static int set_capabilities(const struct rlimit *most)
{
    const struct rlimit none = { 1, most->rlim_max };
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    return capget(&header, data) == 0 && setrlimit(RLIMIT_NPROC, &none) == 0 &&
           capset(&header, data) == 0 && setrlimit(RLIMIT_NPROC, most) == 0;
}

static int see_agent_again(const char *name, int is_alone)
{
    int count = 0, others = 0;
    for (int i = 0; i < 6000 && count == others; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, wait_thread, barrier_of(0)) != 0)
            continue;
        count = count_agent_threads(name, &others);
        (void)pthread_barrier_wait(barrier_of(0));
        pthread_join(thread, NULL);
        usleep(5000);
    }
    return count > others && (!is_alone || others == 0);
}

/* The agent's thread comes with the first of the program's, and finds no place after the change. */
static int see_change(const struct rlimit *most)
{
    pthread_t thread;
    int others;
    if (pthread_barrier_init(barrier_of(0), NULL, 2) != 0 ||
        pthread_create(&thread, NULL, wait_thread, barrier_of(0)) != 0)
        return 0;
    end_threads(&thread, 0, 1);
    return count_agent_threads("profd-agent", &others) > 0 && set_capabilities(most) &&
           see_agent_again("profd-agent", 0);
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];
    if (argc < 3)
        return 2;
    const uid_t user = (uid_t)atoi(argv[1]);
    const struct rlimit most = { (rlim_t)atoi(argv[2]), (rlim_t)atoi(argv[2]) };
    if (setresuid(user, user, user) < 0 || setrlimit(RLIMIT_NPROC, &most) < 0)
        return 2;
    const char *name = argc > 3 ? argv[3] : "profd-agent";
    if (strcmp(name, "changes") == 0)
        return see_change(&most) ? 0 : 1;
    const int count = make_threads(threads);
    if (count == 0)
        return 1;
    printf("%d\n", count);
    if (strcmp(name, "full") == 0) { /* the agent's threads find no place until the end */
        burn_outer(0.3);
        end_threads(threads, 0, count);
        return 0;
    }
    end_threads(threads, 0, 1);
    const int could_run = run_true();
    end_threads(threads, 1, count);
    burn_outer(0.3);
    const int is_bare = getenv("LD_PRELOAD") == NULL;
    return could_run && (is_bare || see_agent_again(name, argc > 3)) ? 0 : 1;
}
