/* thread_states: what its threads know of themselves, one word a line; and one that works while it
 * has said that it sleeps. Misuses what can be misused on the way. */
#include <profd.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/system/programs/burn.h"

static __attribute__((noinline)) void asleep_at_first(void)
{
    burn_outer(0.2);
    __asm__ volatile("");
}

static __attribute__((noinline)) void asleep_later(void)
{
    burn_outer(0.1);
    __asm__ volatile("");
}

static __attribute__((noinline)) void awake_again(void)
{
    burn_outer(0.1);
    __asm__ volatile("");
}

static void print_fact(const char *what, int is_so)
{
    printf("%s %s\n", what, is_so ? "yes" : "no");
}

static void *sleep_and_wake(void *argument)
{
    profd_register_thread("sleeper");
    profd_register_thread("sleeper");
    profd_thread_wake(); /* without a sleep */
    {
        PROFD_THREAD_SLEEP_SCOPE();
        print_fact("asleep", profd_thread_is_sleeping());
        profd_thread_sleep();
        profd_thread_wake();
        print_fact("still-asleep", profd_thread_is_sleeping());
        asleep_at_first();
        asleep_later();
    }
    print_fact("awake-asleep", profd_thread_is_sleeping());
    awake_again();
    return argument;
}

/* Leaves a session of "sleeper" by its name, and comes back. */
static void *rename_itself(void *argument)
{
    pthread_setname_np(pthread_self(), "sleeper, too");
    PROFD_MARKER("with a name that is let in", PROFD_CATEGORY_OTHER);
    pthread_setname_np(pthread_self(), "left out");
    PROFD_MARKER("with a name that is left out", PROFD_CATEGORY_OTHER);
    pthread_setname_np(pthread_self(), "sleeper again");
    PROFD_MARKER("let in again", PROFD_CATEGORY_OTHER);
    return argument;
}

static void *leave_early(void *argument)
{
    *(struct profd_thread_id *)argument = profd_current_thread_id();
    profd_register_thread("leaves early");
    profd_unregister_thread();
    profd_unregister_thread();
    print_fact("registered-after-end", profd_is_active_and_thread_is_registered());
    print_fact("profiled-after-end", profd_thread_is_being_profiled(PROFD_THREAD_ANY));
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct profd_thread_id gone;
    print_fact("registered", profd_is_active_and_thread_is_registered());
    print_fact("profiled", profd_thread_is_being_profiled(PROFD_THREAD_ANY));
    print_fact("markers", profd_thread_is_being_profiled(PROFD_THREAD_MARKERS));
    print_fact("nothing", profd_thread_is_being_profiled(0));
    print_fact("by-id", profd_thread_with_id_is_being_profiled(profd_current_thread_id(),
                                                               PROFD_THREAD_SAMPLING));
    PROFD_MARKER("of the main thread", PROFD_CATEGORY_OTHER);
    if (pthread_create(&thread, NULL, leave_early, &gone) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    print_fact("gone", profd_thread_with_id_is_being_profiled(gone, PROFD_THREAD_ANY));
    if (pthread_create(&thread, NULL, rename_itself, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    if (pthread_create(&thread, NULL, sleep_and_wake, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    return 0;
}
