/* profd_disabled.h: a detail of profd.h. The API with PROFD_DISABLED: everything that the other
 * headers declare, with no effect. Queries answer as in a process without an agent. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_DISABLED_H
#define PROFD_DISABLED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks expressions without evaluating them, so that variables which are only passed to profd
 * count as used. */
#define PROFD_NOTHING_(...)                                                                        \
    do {                                                                                           \
        if (0) {                                                                                   \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

static const uint32_t profd_recording __attribute__((unused)) = 0;

/* --- Threads and the process --- */

static inline int profd_register_thread(const char *name)
{
    (void)name;
    return 0;
}

static inline void profd_unregister_thread(void)
{
}

static inline void profd_set_process_name(const char *name)
{
    (void)name;
}

/* Ids are 0, without a system call. */
static inline struct profd_thread_id profd_current_thread_id(void)
{
    struct profd_thread_id nobody = { 0 };
    return nobody;
}

static inline struct profd_process_id profd_current_process_id(void)
{
    struct profd_process_id nobody = { 0 };
    return nobody;
}

static inline void profd_thread_sleep(void)
{
}

static inline void profd_thread_wake(void)
{
}

#define PROFD_THREAD_SLEEP_SCOPE() PROFD_NOTHING_()

static inline bool profd_thread_is_sleeping(void)
{
    return false;
}

static inline bool profd_is_active_and_thread_is_registered(void)
{
    return false;
}

static inline bool profd_thread_is_being_profiled(uint32_t features)
{
    (void)features;
    return false;
}

static inline bool profd_thread_with_id_is_being_profiled(struct profd_thread_id thread,
                                                          uint32_t features)
{
    (void)thread;
    (void)features;
    return false;
}

/* --- Labels --- */

#define PROFD_LABEL_PUSH(NAME, CATEGORY)       PROFD_NOTHING_((void)(NAME), (void)(CATEGORY))
#define PROFD_LABEL_PUSH_TEXT(TEXT, CATEGORY)  PROFD_NOTHING_((void)(TEXT), (void)(CATEGORY))
#define PROFD_LABEL_POP()                      PROFD_NOTHING_()
#define PROFD_LABEL_SCOPE(NAME, CATEGORY)      PROFD_NOTHING_((void)(NAME), (void)(CATEGORY))
#define PROFD_LABEL_SCOPE_TEXT(TEXT, CATEGORY) PROFD_NOTHING_((void)(TEXT), (void)(CATEGORY))

static inline struct profd_site *profd_label_text(const char *text, uintptr_t category)
{
    static struct profd_site nothing;
    (void)text;
    (void)category;
    return &nothing;
}

static inline struct profd_site *profd_label_frame(const char *function, const char *file,
                                                   uint32_t line, uint32_t column,
                                                   uintptr_t category)
{
    (void)file;
    (void)line;
    (void)column;
    return profd_label_text(function, category);
}

static inline uint32_t profd_label_push(struct profd_site *site, void *stack_address)
{
    (void)site;
    (void)stack_address;
    return 0;
}

static inline void profd_label_pop(void)
{
}

static inline void profd_label_scope_end_(uint32_t *generation)
{
    (void)generation;
}

/* --- Markers --- */

#define PROFD_NOW() ((uint64_t)0)

static inline uint64_t profd_now(void)
{
    return 0;
}

#define PROFD_MARKER(NAME, CATEGORY) PROFD_NOTHING_((void)(NAME), (void)(CATEGORY))
#define PROFD_MARKER_TEXT(NAME, CATEGORY, TEXT)                                                    \
    PROFD_NOTHING_((void)(NAME), (void)(CATEGORY), (void)(TEXT))
#define PROFD_MARKER_INTERVAL(NAME, CATEGORY, START, TEXT)                                         \
    PROFD_NOTHING_((void)(NAME), (void)(CATEGORY), (void)(START), (void)(TEXT))
#define PROFD_MARKER_START(NAME, CATEGORY, TEXT) PROFD_MARKER_TEXT(NAME, CATEGORY, TEXT)
#define PROFD_MARKER_END(NAME, CATEGORY, TEXT)   PROFD_MARKER_TEXT(NAME, CATEGORY, TEXT)
#define PROFD_MARKER_WITH(NAME, CATEGORY, OPTIONS, TEXT)                                           \
    PROFD_NOTHING_((void)(NAME), (void)(CATEGORY), (void)(OPTIONS), (void)(TEXT))
#define PROFD_MARKER_NAMED(NAME, CATEGORY, OPTIONS, TEXT)                                          \
    PROFD_MARKER_WITH(NAME, CATEGORY, OPTIONS, TEXT)

static inline void profd_marker(struct profd_site *site)
{
    (void)site;
}

static inline void profd_marker_text(struct profd_site *site, const char *text)
{
    (void)site;
    (void)text;
}

static inline void profd_marker_interval(struct profd_site *site, uint64_t start, const char *text)
{
    (void)site;
    (void)start;
    (void)text;
}

static inline void profd_marker_start(struct profd_site *site, const char *text)
{
    (void)site;
    (void)text;
}

static inline void profd_marker_end(struct profd_site *site, const char *text)
{
    (void)site;
    (void)text;
}

static inline void profd_marker_with(struct profd_site *site, struct profd_marker_options options,
                                     const char *text)
{
    (void)site;
    (void)options;
    (void)text;
}

static inline struct profd_thread profd_current_thread(void)
{
    struct profd_thread nobody = { 0, 0 };
    return nobody;
}

static inline void profd_stack_capture(struct profd_stack *stack)
{
    stack->ticks = 0;
    stack->image = 0;
    stack->depth = 0;
}

static inline struct profd_marker_options profd_with_stack_now(struct profd_marker_options options)
{
    return options;
}

/* --- Markers with values: these are still checked against the type --- */

#define PROFD_MARKER_TYPE(NAME, ...) PROFD_MARKER_TYPE_(NAME, __VA_ARGS__, )
#define PROFD_MARKER_TYPE_(NAME, FIELDS, ...)                                                      \
    __attribute__((unused)) static inline void profd_record_##NAME(                                \
        struct profd_marker_options profd_options FIELDS(PROFD_FIELD_PARAMETER_))                  \
    {                                                                                              \
        (void)profd_options;                                                                       \
        FIELDS(PROFD_FIELD_USE_)                                                                   \
    }                                                                                              \
    struct profd_keys_##NAME
#define PROFD_FIELD_USE_(FORMAT, KEY, LABEL) (void)KEY;

#define PROFD_MARKER_TYPED(TYPE, NAME, CATEGORY, ...)                                              \
    do {                                                                                           \
        if (0) {                                                                                   \
            (void)(NAME);                                                                          \
            (void)(CATEGORY);                                                                      \
            PROFD_STRICT_BEGIN_                                                                    \
            profd_record_##TYPE(__VA_ARGS__);                                                      \
            PROFD_STRICT_END_                                                                      \
        }                                                                                          \
    } while (0)

static inline struct profd_flow profd_flow_of(const void *object)
{
    struct profd_flow flow = { (uint64_t)(uintptr_t)object };
    return flow;
}

static inline struct profd_flow profd_flow_global(uint64_t number)
{
    struct profd_flow flow = { number };
    return flow;
}

/* --- Counters --- */

static inline void profd_counter_add(struct profd_counter *counter, int64_t delta)
{
    (void)counter;
    (void)delta;
}

static inline int profd_counter_register(struct profd_counter *counter)
{
    (void)counter;
    return 0;
}

/* --- Event loops --- */

static inline void profd_event_begin(uint64_t queued_ns)
{
    (void)queued_ns;
}

static inline void profd_event_end(void)
{
}

static inline void profd_event_loop_begin(profd_idle_clock *idle_clock, void *context)
{
    (void)idle_clock;
    (void)context;
}

static inline void profd_event_loop_turn(void)
{
}

static inline void profd_event_loop_end(void)
{
}

/* --- Sampling and sessions --- */

static inline int profd_call_after_sampling(profd_after_sampling *call, void *context)
{
    (void)call;
    (void)context;
    return -ESRCH;
}

static inline int profd_session_start(const struct profd_session_options *options)
{
    (void)options;
    return -ENOSYS;
}

static inline int profd_session_stop(void)
{
    return -ENOSYS;
}

static inline int profd_session_pause(void)
{
    return -ENOSYS;
}

static inline int profd_session_resume(void)
{
    return -ENOSYS;
}

static inline bool profd_is_active(void)
{
    return false;
}

static inline int profd_capture_to_fd(int fd)
{
    (void)fd;
    return -ENOSYS;
}

/* --- Performance groups --- */

static inline struct profd_group *profd_group_ref(const char *kind, const char *name, uint64_t id,
                                                  unsigned flags)
{
    (void)kind;
    (void)name;
    (void)id;
    (void)flags;
    return NULL;
}

static inline void profd_group_unref(struct profd_group *group)
{
    (void)group;
}

static inline void profd_group_set_active(struct profd_group *group, bool is_active)
{
    (void)group;
    (void)is_active;
}

static inline void profd_units_ask(profd_groups_of_unit *ask, void *context)
{
    (void)ask;
    (void)context;
}

static inline void profd_unit_set_active(struct profd_unit *unit, bool is_active)
{
    (void)unit;
    (void)is_active;
}

static inline void profd_unit_forget(struct profd_unit *unit)
{
    (void)unit;
}

static inline void profd_unit_enter(struct profd_stopwatch *watch, struct profd_unit *unit)
{
    (void)watch;
    (void)unit;
}

static inline void profd_unit_leave(struct profd_stopwatch *watch)
{
    (void)watch;
}

static inline void profd_blocked_begin(void)
{
}

static inline void profd_blocked_end(void)
{
}

static inline void profd_nested_loop_begin(void)
{
}

static inline void profd_nested_loop_end(void)
{
}

static inline void profd_iteration_end(void)
{
}

static inline void profd_groups_measure(unsigned measures)
{
    (void)measures;
}

static inline void profd_groups_monitor(bool is_wanted, bool is_detailed)
{
    (void)is_wanted;
    (void)is_detailed;
}

static inline int profd_groups_snapshot(void (*visit)(const struct profd_group_stats *stats,
                                                      void *context),
                                        void *context)
{
    (void)visit;
    (void)context;
    return -ENOENT;
}

static inline int profd_groups_observe(const char *rule, profd_group_observer *observer,
                                       void *context)
{
    (void)rule;
    (void)observer;
    (void)context;
    return -ENOTSUP;
}

static inline void profd_groups_unobserve(profd_group_observer *observer, void *context)
{
    (void)observer;
    (void)context;
}

#ifdef __cplusplus
}
#endif

#endif
