/* profd.h: what a program may tell its profiler.
 *
 * Link with `pkg-config --libs profd`, or call nothing and run under `profctl run`. Without a
 * session every macro costs one load and one branch. All functions may be called from any thread at
 * any time, before main and after exit included, but not from a signal handler unless it says so.
 * Nothing here fails loudly, writes to standard streams, or waits for profd. */
#ifndef PROFD_H
#define PROFD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Categories that every profile has; they give colours to frames and markers. */
enum profd_category {
    PROFD_CATEGORY_OTHER = 1,
    PROFD_CATEGORY_NATIVE = 2,
    PROFD_CATEGORY_LABEL = 3,
    PROFD_CATEGORY_NETWORK = 4,
    PROFD_CATEGORY_DISK = 5,
    PROFD_CATEGORY_PARSE = 6,
    PROFD_CATEGORY_COMPUTE = 7,
    PROFD_CATEGORY_LOCK = 8
};

/* What is being recorded now: bits, 0 without a session. Read-only for programs. */
enum { PROFD_RECORDING_MARKERS = 1, PROFD_RECORDING_LABELS = 2 };
extern volatile uint32_t profd_recording;

/* Where in the source a label or marker is: one static object each, made by the macros below. */
struct profd_site {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t category;
    volatile uint32_t id; /* given at first use; 0 before */
};

#define PROFD_SITE_(NAME, CATEGORY)                                                                \
    static struct profd_site profd_site_ = { NAME, __func__, __FILE__, __LINE__, CATEGORY, 0 }

/* --- Threads --- */

/* Registers the calling thread under NAME (copied), or renames it when it is registered already.
 * Threads of preloaded programs, and those made by pthread_create in programs that link
 * libprofd.so, are registered by themselves. 0, or a negative errno (-ENOMEM, -EAGAIN: too many
 * threads). */
int profd_register_thread(const char *name);

/* Ends the registration before the thread ends; otherwise that happens by itself. */
void profd_unregister_thread(void);

/* The name shown for this process; NULL: the executable's. Copied. */
void profd_set_process_name(const char *name);

/* --- Labels: frames of your own in the stacks, for as long as they are pushed --- */

/* Pushes a label on the calling thread's label stack. Pair with profd_label_pop(). */
#define PROFD_LABEL_PUSH(NAME, CATEGORY)                                                           \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_LABELS, 0)) {                       \
            PROFD_SITE_(NAME, CATEGORY);                                                           \
            profd_label_push(&profd_site_, __builtin_frame_address(0));                            \
        }                                                                                          \
    } while (0)

#define PROFD_LABEL_POP()                                                                          \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_LABELS, 0))                         \
            profd_label_pop();                                                                     \
    } while (0)

/* A label from here to the end of the enclosing scope, however it is left. */
#define PROFD_LABEL_SCOPE(NAME, CATEGORY)                                                          \
    __attribute__((cleanup(profd_label_scope_end_), unused))                                       \
    uint32_t PROFD_UNIQUE_(profd_scope_) = 0;                                                      \
    if (__builtin_expect(profd_recording & PROFD_RECORDING_LABELS, 0)) {                           \
        PROFD_SITE_(NAME, CATEGORY);                                                               \
        PROFD_UNIQUE_(profd_scope_) = profd_label_push(&profd_site_, __builtin_frame_address(0));  \
    }

/* Returns the session's generation, for profd_label_scope_end_; never 0. STACK_ADDRESS places the
 * label among the native frames. */
uint32_t profd_label_push(struct profd_site *site, void *stack_address);
void profd_label_pop(void);

/* --- Markers: events on the time line --- */

/* Now, on the profiler's own clock: the start to give to PROFD_MARKER_INTERVAL. 0 without a
 * session. */
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

/* Something began or ended; a start and an end of one name on one thread belong together. TEXT may
 * be NULL. */
#define PROFD_MARKER_START(NAME, CATEGORY, TEXT)                                                   \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_start(&profd_site_, TEXT))
#define PROFD_MARKER_END(NAME, CATEGORY, TEXT)                                                     \
    PROFD_MARKER_CALL_(NAME, CATEGORY, profd_marker_end(&profd_site_, TEXT))

void profd_marker(struct profd_site *site);
void profd_marker_text(struct profd_site *site, const char *text);
void profd_marker_interval(struct profd_site *site, uint64_t start, const char *text);
void profd_marker_start(struct profd_site *site, const char *text);
void profd_marker_end(struct profd_site *site, const char *text);

/* --- Details of the macros --- */

#define PROFD_MARKER_CALL_(NAME, CATEGORY, CALL)                                                   \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_MARKERS, 0)) {                      \
            PROFD_SITE_(NAME, CATEGORY);                                                           \
            CALL;                                                                                  \
        }                                                                                          \
    } while (0)
#define PROFD_CONCAT_2_(A, B) A##B
#define PROFD_CONCAT_(A, B)   PROFD_CONCAT_2_(A, B)
#define PROFD_UNIQUE_(NAME)   PROFD_CONCAT_(NAME, __LINE__)

void profd_label_scope_leave_(uint32_t generation);

static inline void profd_label_scope_end_(uint32_t *generation)
{
    if (__builtin_expect(*generation != 0, 0))
        profd_label_scope_leave_(*generation);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "profd_event_loop.h"
#include "profd_threads.h"
#include "profd_counters.h"

#endif
