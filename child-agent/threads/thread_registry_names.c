/* The names of threads, what a session records of them by their names, and their records in the
 * dictionary. */
#include <stdio.h>
#include <string.h>

#include "child-agent/core.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/threads/thread_registry_inside.h"
#include "common/apart.h"
#include "common/thread_filters.h"

enum { REGISTRY_FILTERS_BYTES = 4096 };

/* What the session asks for; under the registry's lock. */
static uint32_t wanted_features; /* of threads that pass the filters; 0 without a session */
static LARGE_APART char wanted_filters[REGISTRY_FILTERS_BYTES];

static void decide_profiling(struct registry_access access,
                             struct thread_registration *registration)
{
    const char *name = thread_locked(access, registration)->name;
    const struct thread_filter_subject subject = {
        .name = name,
        .name_length = strlen(name),
        .is_main = registration->is_main,
        .process = thread_registry_process().number,
    };
    bool is_profiled = wanted_features != 0 && thread_filters_pass(wanted_filters, &subject);
    atomic_store(&registration->profiled_features, is_profiled ? wanted_features : 0);
    if (registration->life == REGISTRATION_LIVE)
        clock_sampling_follow(registration);
}

void thread_registry_set_name(struct registry_access access,
                              struct thread_registration *registration, const char *name)
{
    struct thread_locked_data *locked = thread_locked(access, registration);
    size_t length = strnlen(name, THREAD_NAME_BYTES - 1);
    memcpy(locked->name, name, length);
    locked->name[length] = '\0';
    decide_profiling(access, registration);
}

int thread_registry_describe_thread(struct registry_access access,
                                    struct thread_registration *thread)
{
    struct thread_locked_data *locked = thread_locked(access, thread);
    int error = dictionary_put_thread(&core.dictionary, thread->index, thread->id.number,
                                      thread->is_main, thread->start_ns, locked->name);
    locked->is_described = error == 0;
    return error;
}

/* The same name again leaves no trace: some programs say it with every
 * piece of work, and the dictionary has an end. */
static void rename_locked(struct registry_access access, struct thread_registration *registration,
                          const char *name)
{
    struct thread_locked_data *locked = thread_locked(access, registration);
    if (strncmp(locked->name, name, THREAD_NAME_BYTES - 1) == 0)
        return;
    thread_registry_set_name(access, registration, name);
    if (core_local.has_arena && locked->is_described)
        (void)dictionary_put_thread_name(&core.dictionary, registration->index,
                                         clock_monotonic_ns(), locked->name);
}

/* A thread that renames itself may leave the session so; one that another thread renames goes on
 * with its markers. */
static void follow_rename(struct thread_registration *renamed)
{
    bool has_markers = atomic_load(&renamed->profiled_features) & PROFD_THREAD_MARKERS;
    if (renamed == thread_current && !has_markers)
        recording_give_back_chunk(renamed);
}

void thread_registry_rename(struct thread_registration *registration, const char *name)
{
    if (thread_registry_is_barred())
        return;
    struct registry_access access = thread_registry_hold();
    rename_locked(access, registration, name);
    thread_registry_release(access);
    follow_rename(registration);
}

void thread_registry_rename_handle(pthread_t handle, const char *name)
{
    struct thread_registration *found = NULL;
    if (thread_registry_is_barred())
        return;
    struct registry_access access = thread_registry_hold();
    for (uint32_t slot = 0; slot < thread_registry_slots(access) && found == NULL; slot++) {
        struct thread_registration *candidate = thread_registry_at(slot);
        if (candidate->life == REGISTRATION_LIVE && pthread_equal(candidate->handle, handle))
            found = candidate;
    }
    if (found != NULL)
        rename_locked(access, found, name);
    thread_registry_release(access);
    if (found != NULL)
        follow_rename(found);
}

static void forget_described(struct registry_access access)
{
    for (uint32_t slot = 0; slot < thread_registry_slots(access); slot++)
        thread_locked(access, thread_registry_at(slot))->is_described = false;
}

int thread_registry_describe(struct registry_access access)
{
    int error = 0;
    for (uint32_t slot = 0; slot < thread_registry_slots(access) && error == 0; slot++) {
        struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_LIVE)
            error = thread_registry_describe_thread(access, each);
    }
    if (error < 0)
        forget_described(access);
    return error;
}

void thread_registry_set_profiled(const char *filters, uint32_t features)
{
    struct registry_access access = thread_registry_hold();
    snprintf(wanted_filters, sizeof(wanted_filters), "%s", filters);
    wanted_features = features;
    for (uint32_t slot = 0; slot < thread_registry_slots(access); slot++)
        decide_profiling(access, thread_registry_at(slot));
    thread_registry_release(access);
}

uint32_t thread_registry_profiled_features(struct profd_thread_id thread)
{
    uint32_t features = 0;
    struct registry_access access = thread_registry_hold();
    for (uint32_t slot = 0; slot < thread_registry_slots(access); slot++) {
        const struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_LIVE && each->id.number == thread.number)
            features = each->profiled_features;
    }
    thread_registry_release(access);
    return features;
}

void thread_registry_forget_profiled(struct registry_access access)
{
    (void)access;
    wanted_features = 0;
}
