/* profd.h: the API by which programs describe themselves to the profiler.
 *
 * Link with `pkg-config --libs profd`, or call nothing and run under `profctl run`. Without a
 * session every macro costs one load and one branch. All functions may be called from any thread at
 * any time, before main and after exit included, but not from a signal handler unless it says so.
 * Nothing here fails loudly, writes to standard streams, or waits for profd.
 *
 * With PROFD_DISABLED defined before this header is included, for all or for some files of a
 * program, the whole API is compiled out: macros do nothing, their arguments are checked but not
 * evaluated, functions are empty and inline, and programs compiled this way need no library.
 *
 * This header has categories, sites and threads. Labels and markers are in profd_labels.h and
 * profd_markers.h, which it includes; profd.hpp makes scopes of them for C++. */
#ifndef PROFD_H
#define PROFD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Categories that every profile has; they give colours to frames and markers. Every macro that
 * takes a category also takes one of the program's own (profd_categories.h). */
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

/* Bits that tell the macros what is being recorded now. Programs only read it. Without a session it
 * is 0, except that the bit of markers may be set: a process of one thread checks at its markers
 * whether a session has begun. profd_is_active() says whether a session is active. */
enum { PROFD_RECORDING_MARKERS = 1, PROFD_RECORDING_LABELS = 2 };
#ifndef PROFD_DISABLED
extern volatile uint32_t profd_recording;
#endif

/* The place of a label or marker in the source: one static object each, made by the macros below.
 */
struct profd_marker_type;
struct profd_site {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uintptr_t category;             /* a number, or the address of a struct profd_own_category */
    volatile uint32_t id;           /* given at first use; 0 before */
    struct profd_marker_type *type; /* of a marker with a payload; else NULL */
    uint32_t column_plus_1;         /* of a frame of a language; 0: this is none */
};

#define PROFD_SITE_(NAME, CATEGORY)                                                                \
    static struct profd_site profd_site_ = {                                                       \
        NAME, __func__, __FILE__, __LINE__, (uintptr_t)(CATEGORY), 0, 0, 0                         \
    }

/* --- Threads --- */

#ifndef PROFD_DISABLED

/* Registers the calling thread under NAME (copied), or renames it when it is registered already.
 * Threads of preloaded programs, and those made by pthread_create in programs that link
 * libprofd.so, are registered automatically. 0, or a negative errno (-ENOMEM, -EAGAIN: too many
 * threads). */
int profd_register_thread(const char *name);

/* Ends the registration before the thread ends; otherwise the end of the thread does. */
void profd_unregister_thread(void);

/* Sets the name that is shown for this process (copied). NULL: its title as ps shows it if it gave
 * itself one, or else the name of its executable. */
void profd_set_process_name(const char *name);

#endif

#define PROFD_CONCAT_2_(A, B) A##B
#define PROFD_CONCAT_(A, B)   PROFD_CONCAT_2_(A, B)

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "profd_categories.h"
#include "profd_counters.h"
#include "profd_event_loop.h"
#include "profd_groups.h"
#include "profd_labels.h"
#include "profd_markers.h"
#include "profd_sampling.h"
#include "profd_session.h"
#include "profd_threads.h"

#ifdef PROFD_DISABLED
#include "profd_disabled.h"
#endif

#endif
