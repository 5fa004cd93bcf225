/* Labels: frames of your own in the stacks, for as long as they are pushed. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_LABELS_H
#define PROFD_LABELS_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#ifndef PROFD_DISABLED

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
#define PROFD_LABEL_SCOPE(NAME, CATEGORY) PROFD_LABEL_SCOPE_(NAME, CATEGORY, __COUNTER__)
#define PROFD_LABEL_SCOPE_(NAME, CATEGORY, ID)                                                     \
    __attribute__((cleanup(profd_label_scope_end_), unused))                                       \
    uint32_t PROFD_CONCAT_(profd_scope_, ID) = 0;                                                  \
    if (__builtin_expect(profd_recording & PROFD_RECORDING_LABELS, 0)) {                           \
        PROFD_SITE_(NAME, CATEGORY);                                                               \
        PROFD_CONCAT_(profd_scope_, ID) =                                                          \
            profd_label_push(&profd_site_, __builtin_frame_address(0));                            \
    }

/* --- Labels whose text is made at run time, and frames of languages --- */

/* Returns the label TEXT (copied; cut at 255 bytes), which can be pushed any number of times. The
 * same text and category give the same label. A process has room for 16384 different ones; all
 * further ones are the label "(too many labels)", and are counted. Never NULL, and never freed.
 * CATEGORY: of enum profd_category, or one of the program's own, as (uintptr_t)variable. */
struct profd_site *profd_label_text(const char *text, uintptr_t category);

/* The label of a frame of an interpreted or compiled language, shown as "FUNCTION
 * (FILE:LINE:COLUMN)". FILE may be NULL, LINE and COLUMN 0. Otherwise as profd_label_text(). Keep
 * the result beside the function that it describes, and push it at each call:
 *
 *     profd_label_push(function->label, __builtin_frame_address(0));
 *     …
 *     profd_label_pop(); */
struct profd_site *profd_label_frame(const char *function, const char *file, uint32_t line,
                                     uint32_t column, uintptr_t category);

#define PROFD_LABEL_PUSH_TEXT(TEXT, CATEGORY)                                                      \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_LABELS, 0))                         \
            profd_label_push(profd_label_text(TEXT, (uintptr_t)(CATEGORY)),                        \
                             __builtin_frame_address(0));                                          \
    } while (0)

/* A label with TEXT from here to the end of the enclosing scope, however it is left. */
#define PROFD_LABEL_SCOPE_TEXT(TEXT, CATEGORY) PROFD_LABEL_SCOPE_TEXT_(TEXT, CATEGORY, __COUNTER__)
#define PROFD_LABEL_SCOPE_TEXT_(TEXT, CATEGORY, ID)                                                \
    __attribute__((cleanup(profd_label_scope_end_), unused)) uint32_t PROFD_CONCAT_(               \
        profd_scope_, ID) = __builtin_expect(profd_recording & PROFD_RECORDING_LABELS, 0)          \
                                ? profd_label_push(profd_label_text(TEXT, (uintptr_t)(CATEGORY)),  \
                                                   __builtin_frame_address(0))                     \
                                : 0

/* Returns the session's generation, for profd_label_scope_end_; never 0. STACK_ADDRESS places the
 * label among the native frames. */
uint32_t profd_label_push(struct profd_site *site, void *stack_address);
void profd_label_pop(void);

/* --- Details of the macros --- */

void profd_label_scope_leave_(uint32_t generation);

static inline void profd_label_scope_end_(uint32_t *generation)
{
    if (__builtin_expect(*generation != 0, 0))
        profd_label_scope_leave_(*generation);
}

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
