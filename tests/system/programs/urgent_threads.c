/* urgent_threads: has a thread made by one with real-time priority, and burns. Fails unless all
 * other threads of the process are ordinary; 77 if it may not have such a priority. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "tests/system/programs/burn.h"

static pthread_barrier_t begun, seen;

static void *wait_thread(void *unused)
{
    const struct sched_param none = { 0 };
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
    (void)pthread_barrier_wait(&begun);
    (void)pthread_barrier_wait(&seen);
    return unused;
}

static int count_urgent(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    while (tasks != NULL && (task = readdir(tasks)) != NULL)
        count += task->d_name[0] != '.' && sched_getscheduler(atoi(task->d_name)) == SCHED_RR;
    if (tasks != NULL)
        closedir(tasks);
    return count;
}

int main(void)
{
    const struct sched_param lowest = { sched_get_priority_min(SCHED_RR) };
    pthread_t thread;
    if (sched_setscheduler(0, SCHED_RR, &lowest) < 0)
        return 77;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_barrier_init(&seen, NULL, 2);
    if (pthread_create(&thread, NULL, wait_thread, NULL) != 0)
        return 1;
    (void)pthread_barrier_wait(&begun);
    int count = count_urgent();
    (void)pthread_barrier_wait(&seen);
    pthread_join(thread, NULL);
    burn_outer(0.2);
    return count == 1 ? 0 : 1;
}
