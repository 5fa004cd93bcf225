/* What lives in a thread's storage: a lot of it, and destructors that record after the agent's own.
 * The status is 1 when a thread's storage is not as it was left. */
#include <profd.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

#include "tests/system/programs/burn.h"

enum { LARGE_BYTES = 500 * 1024, ROUNDS = 50, KERNEL_NAME_BYTES = 16 };

static __thread char large[LARGE_BYTES];
static pthread_key_t key;

static void on_thread_end(void *rounds_left)
{
    PROFD_MARKER("in destructor", PROFD_CATEGORY_OTHER);
    burn_outer(0.001);
    if (rounds_left != NULL)
        pthread_setspecific(key, (char *)rounds_left - 1);
}

static void *work(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "storage");
    pthread_setspecific(key, (void *)8);
    memset(large, 7, sizeof(large));
    PROFD_MARKER("in thread", PROFD_CATEGORY_OTHER);
    burn_outer(0.002);
    return (void *)(intptr_t)(large[LARGE_BYTES - 1] != 7);
}

int main(void)
{
    if (pthread_key_create(&key, on_thread_end) != 0)
        return 2;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, &result) != 0)
            return 2;
        if (result != NULL)
            return 1;
    }
    return 0;
}
