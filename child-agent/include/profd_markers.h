/* Markers: events on the time line.
 *
 *     PROFD_MARKER("flush", PROFD_CATEGORY_DISK);
 *
 *     uint64_t start = PROFD_NOW();
 *     …
 *     PROFD_MARKER_INTERVAL("parse", PROFD_CATEGORY_PARSE, start, path);
 *
 * Names and categories are constants, except with PROFD_MARKER_NAMED; each place in the source is
 * one static object. Times are those of PROFD_NOW(). profd_marker_types.h has markers with typed
 * payloads. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_MARKERS_H
#define PROFD_MARKERS_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#ifndef PROFD_DISABLED

/* The current time on the profiler's own clock; 0 without a session. An interval that starts at 0
 * records nothing. */
#define PROFD_NOW()                                                                                \
    (__builtin_expect(profd_recording & PROFD_RECORDING_MARKERS, 0) ? profd_now() : 0)
uint64_t profd_now(void);

/* Something happened at this instant. */
#define PROFD_MARKER(NAME, CATEGORY) PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker(&profd_site_))
/* …with text (bytes up to the first NUL; copied). */
#define PROFD_MARKER_TEXT(NAME, CATEGORY, TEXT)                                                    \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_text(&profd_site_, TEXT))

/* Something lasted from START (of PROFD_NOW; 0 records nothing) until now. TEXT may be NULL. */
#define PROFD_MARKER_INTERVAL(NAME, CATEGORY, START, TEXT)                                         \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_interval(&profd_site_, START, TEXT))

/* Something began or ended; a start and an end with the same name on the same thread belong
 * together. TEXT may be NULL. */
#define PROFD_MARKER_START(NAME, CATEGORY, TEXT)                                                   \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_start(&profd_site_, TEXT))
#define PROFD_MARKER_END(NAME, CATEGORY, TEXT)                                                     \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_end(&profd_site_, TEXT))

/* A marker with OPTIONS: its time, its thread, and the stack that led to it. TEXT may be NULL.
 *
 *     PROFD_MARKER_WITH("late", PROFD_CATEGORY_NETWORK,
 *                       profd_with_stack_now(profd_interval(asked, answered)), url); */
#define PROFD_MARKER_WITH(NAME, CATEGORY, OPTIONS, TEXT)                                           \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_with(&profd_site_, OPTIONS, TEXT))

/* Like PROFD_MARKER_WITH, with a name that is made at run time (copied). Names share the room of
 * profd_label_text(), so text that differs each time belongs in TEXT. */
#define PROFD_MARKER_NAMED(NAME, CATEGORY, OPTIONS, TEXT)                                          \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_MARKERS, 0))                        \
            profd_marker_with(profd_label_text(NAME, (uintptr_t)(CATEGORY)), OPTIONS, TEXT);       \
    } while (0)

#endif

/* --- Options --- */

/* A thread of this process, as the owner of a marker. If the thread has ended, or belongs to the
 * process that forked this one, the marker belongs to the thread that records it. */
struct profd_thread {
    uint32_t index;
    uint32_t image;
};

enum { PROFD_STACK_FRAMES = 128 };

/* A stack that was captured for markers to come: any number of them, on any thread. A plain value,
 * which need not be freed. A stack deeper than PROFD_STACK_FRAMES lacks its outer frames. */
struct profd_stack {
    uint64_t ticks;
    uint32_t image;
    uint32_t depth;
    uint64_t frames[PROFD_STACK_FRAMES];
};

/* Made by the functions below. */
struct profd_marker_options {
    uint32_t phase;
    uint32_t is_plain; /* ends now, on this thread, without stack: recorded in the fewest bytes */
    uint64_t start, end;
    const struct profd_stack *stack;
    struct profd_thread thread;
};

#ifndef PROFD_DISABLED

/* The calling thread. */
struct profd_thread profd_current_thread(void);

/* Captures the calling thread's stack, labels included. Takes some microseconds, and a lock. The
 * result is empty without a session, and for a thread that cannot be registered. */
void profd_stack_capture(struct profd_stack *stack);

/* Passed by profd_with_stack_now(). */
extern const struct profd_stack profd_stack_now_;

#endif

enum {
    PROFD_PHASE_INSTANT_ = 0,
    PROFD_PHASE_INTERVAL_ = 1,
    PROFD_PHASE_START_ = 2,
    PROFD_PHASE_END_ = 3
};

static inline struct profd_marker_options profd_options_(uint32_t phase, uint32_t is_plain,
                                                         uint64_t start, uint64_t end)
{
    struct profd_marker_options options = { phase, is_plain, start, end, 0, { 0, 0 } };
    return options;
}

/* An instant: now. */
static inline struct profd_marker_options profd_instant(void)
{
    return profd_options_(PROFD_PHASE_INSTANT_, 1, 0, 0);
}

/* An instant at TIME. */
static inline struct profd_marker_options profd_instant_at(uint64_t time)
{
    return profd_options_(PROFD_PHASE_INSTANT_, 0, time, time);
}

/* An interval from START until now. */
static inline struct profd_marker_options profd_since(uint64_t start)
{
    return profd_options_(PROFD_PHASE_INTERVAL_, 1, start, 0);
}

/* An interval from START to END. If it ends before it begins, it is shown at its end, and
 * counted. */
static inline struct profd_marker_options profd_interval(uint64_t start, uint64_t end)
{
    return profd_options_(PROFD_PHASE_INTERVAL_, 0, start, end);
}

/* The start or the end of an interval: now. */
static inline struct profd_marker_options profd_interval_start(void)
{
    return profd_options_(PROFD_PHASE_START_, 1, 0, 0);
}
static inline struct profd_marker_options profd_interval_end(void)
{
    return profd_options_(PROFD_PHASE_END_, 1, 0, 0);
}

/* OPTIONS, on THREAD. */
static inline struct profd_marker_options profd_on_thread(struct profd_marker_options options,
                                                          struct profd_thread thread)
{
    options.is_plain = 0;
    options.thread = thread;
    return options;
}

/* OPTIONS, with STACK (NULL: none), which is read before the macro returns. */
static inline struct profd_marker_options profd_with_stack(struct profd_marker_options options,
                                                           const struct profd_stack *stack)
{
    options.is_plain = 0;
    options.stack = stack;
    return options;
}

#ifndef PROFD_DISABLED

/* OPTIONS, with the stack of this very moment. */
static inline struct profd_marker_options profd_with_stack_now(struct profd_marker_options options)
{
    return profd_with_stack(options, &profd_stack_now_);
}

/* --- Details of the macros --- */

void profd_marker(struct profd_site *site);
void profd_marker_text(struct profd_site *site, const char *text);
void profd_marker_interval(struct profd_site *site, uint64_t start, const char *text);
void profd_marker_start(struct profd_site *site, const char *text);
void profd_marker_end(struct profd_site *site, const char *text);
void profd_marker_with(struct profd_site *site, struct profd_marker_options options,
                       const char *text);

#define PROFD_MARKER_CALL_(NAME, CATEGORY, CALL)                                                   \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_MARKERS, 0)) {                      \
            PROFD_SITE_(NAME, CATEGORY);                                                           \
            CALL;                                                                                  \
        }                                                                                          \
    } while (0)

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "profd_labels.h"
#include "profd_marker_types.h"

#endif
