#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/threads/thread_registry.h"
#include "tests/call_filter.h"
#include "tests/unit/run_suite.h"

static _Atomic pid_t worker_id;
static char worker_name[THREAD_NAME_BYTES];

static void *register_worker(void *registration)
{
    atomic_store(&worker_id, gettid());
    thread_registry_adopt(registration, __builtin_frame_address(0));
    struct registry_access access = thread_registry_hold();
    snprintf(worker_name, sizeof(worker_name), "%s", thread_locked(access, thread_current)->name);
    thread_registry_release(access);
    thread_registry_unregister_current();
    return NULL;
}

/* Whether the worker waits in the kernel's call for locks. */
static bool is_waiting_for_lock(void)
{
    char path[64], call[16] = "";
    snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", atomic_load(&worker_id));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = fd >= 0 ? read(fd, call, sizeof(call) - 1) : 0;
    if (fd >= 0)
        close(fd);
    return count > 0 && atoi(call) == SYS_futex;
}

START_TEST(one_that_is_renamed_while_it_registers_has_its_new_name)
{
    pthread_t worker;
    ck_assert_int_eq(thread_registry_initialize(), 0);
    struct thread_registration *registration = thread_registry_prepare(1 << 20);
    ck_assert_ptr_nonnull(registration);
    struct registry_access access = thread_registry_hold();
    ck_assert_int_eq(pthread_create(&worker, NULL, register_worker, registration), 0);
    while (atomic_load(&worker_id) == 0 || !is_waiting_for_lock())
        usleep(1000);
    ck_assert_int_eq(pthread_setname_np(worker, "renamed"), 0);
    thread_registry_release(access);
    ck_assert_int_eq(pthread_join(worker, NULL), 0);
    ck_assert_str_eq(worker_name, "renamed");
}
END_TEST

START_TEST(one_that_cannot_be_asked_is_told_from_one_that_has_ended)
{
    ck_assert_int_eq(thread_registry_initialize(), 0);
    struct thread_registration *registration = thread_registry_prepare(1 << 20);
    ck_assert_ptr_nonnull(registration);
    thread_registry_adopt(registration, __builtin_frame_address(0));
    ck_assert_int_eq(thread_registry_signal(registration, SIGURG, NULL), 0);
    ck_assert_int_eq(filter_call(SYS_rt_tgsigqueueinfo, SECCOMP_RET_ERRNO | EPERM), 0);
    ck_assert_int_eq(thread_registry_signal(registration, SIGURG, NULL), -EPERM);
    thread_registry_unregister_current();
    ck_assert_int_eq(thread_registry_signal(registration, SIGURG, NULL), -ESRCH);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.threads.thread_registry");
    TCase *names = tcase_create("names");
    tcase_add_test(names, one_that_is_renamed_while_it_registers_has_its_new_name);
    suite_add_tcase(suite, names);
    TCase *signals = tcase_create("signals");
    tcase_add_test(signals, one_that_cannot_be_asked_is_told_from_one_that_has_ended);
    suite_add_tcase(suite, signals);
    return run_suite(suite);
}
