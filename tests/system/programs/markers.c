/* Markers of every kind: typed payloads, options, stacks, flows through a forked process. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

#define REQUEST_FIELDS(FIELD)                                                                      \
    FIELD(URL, url, "URL")                                                                         \
    FIELD(INTEGER, status, "Status")                                                               \
    FIELD(BYTES, sent, "Bytes sent")                                                               \
    FIELD(FLOW_ID, flow, "Request")
PROFD_MARKER_TYPE(request, REQUEST_FIELDS, .chart_label = "{marker.data.url}",
                  .table_label = "{marker.data.status}: {marker.data.url}");

#define EVERY_FIELDS(FIELD)                                                                        \
    FIELD(STRING, string, "A string")                                                              \
    FIELD(SANITIZED_STRING, sanitized, "Another")                                                  \
    FIELD(FILE_PATH, path, NULL)                                                                   \
    FIELD(UNIQUE_STRING, unique, "One of few")                                                     \
    FIELD(TERMINATING_FLOW_ID, last, "Its end")                                                    \
    FIELD(HEXADECIMAL, bits, "Bits")                                                               \
    FIELD(DECIMAL, decimal, "Decimal")                                                             \
    FIELD(PERCENTAGE, share, "Share")                                                              \
    FIELD(DURATION, took, "Took")                                                                  \
    FIELD(SECONDS, seconds, "In s")                                                                \
    FIELD(MILLISECONDS, milliseconds, "In ms")                                                     \
    FIELD(MICROSECONDS, microseconds, "In µs")                                                     \
    FIELD(NANOSECONDS, nanoseconds, "In ns")                                                       \
    FIELD(TIME, when, "When")                                                                      \
    FIELD(PID, process, "Process")                                                                 \
    FIELD(TID, thread, "Thread")
PROFD_MARKER_TYPE(every, EVERY_FIELDS, .places = PROFD_IN_MARKER_TABLE | PROFD_IN_STACK_CHART,
                  .is_stack_based = 1, .colour_field = PROFD_KEY(every, string));

static struct profd_stack earlier;

/* Where its call returns to is no longer in it. */
static inline __attribute__((always_inline)) void capture_inline(void)
{
    profd_stack_capture(&earlier);
}

static __attribute__((noinline)) void capture_here(void)
{
    capture_inline();
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void mark_with_stack(void)
{
    PROFD_LABEL_SCOPE("label in a stack", PROFD_CATEGORY_COMPUTE);
    PROFD_MARKER_TYPED(request, "stack now", PROFD_CATEGORY_NETWORK,
                       profd_with_stack_now(profd_instant()), "/stack", 1, 2,
                       profd_flow_of(&earlier));
    __asm__ volatile("" ::: "memory");
}

static void *other_thread(void *argument)
{
    const struct profd_thread *main_thread = argument;
    profd_register_thread("other");
    PROFD_MARKER_WITH("for the main thread", PROFD_CATEGORY_OTHER,
                      profd_on_thread(profd_instant(), *main_thread), "by the other");
    PROFD_MARKER_TYPED(request, "of the other", PROFD_CATEGORY_NETWORK, profd_instant(), "/other",
                       3, 4, profd_flow_of(&earlier));
    return NULL;
}

static void every_format(uint64_t start)
{
    PROFD_MARKER_TYPED(every, "good", PROFD_CATEGORY_OTHER, profd_since(start), "red",
                       "two \"three\"", "/etc/hosts", "few", profd_flow_global(0xabc), 255, 1.5,
                       0.25, 1500000, 1, 1000000, 1000, 1, start, 4711, 4712);
    PROFD_MARKER_TYPED(every, "bad", PROFD_CATEGORY_OTHER, profd_instant(), "\xff\xfe not UTF-8",
                       NULL, "", "\x80", profd_flow_global(UINT64_MAX), UINT64_MAX, NAN, 7.5,
                       INT64_MIN, INT64_MAX, -1, 0, 0, UINT64_MAX, INT32_MIN, -1);
    PROFD_MARKER_TYPED(every, "worse \"name\"\n\0hidden", PROFD_CATEGORY_OTHER,
                       profd_interval(start + 1000, start), "a", "b", "c", "d",
                       profd_flow_global(1), 0, INFINITY, -1, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void long_strings(void)
{
    static char text[20000];
    for (size_t i = 0; i + 1 < sizeof(text); i++)
        text[i] = 'x';
    PROFD_MARKER_TYPED(request, "long", PROFD_CATEGORY_OTHER, profd_instant(), text, 1, 2,
                       profd_flow_global(1));
}

int main(void)
{
    pthread_t thread;
    uint64_t start = PROFD_NOW();
    struct profd_thread self = profd_current_thread();
    capture_here();
    every_format(start);
    long_strings();
    mark_with_stack();
    PROFD_MARKER_TYPED(request, "stack earlier", PROFD_CATEGORY_NETWORK,
                       profd_with_stack(profd_instant_at(start), &earlier), "/earlier", 200, 10,
                       profd_flow_global(77));
    PROFD_MARKER_TYPED(request, "span", PROFD_CATEGORY_LOCK, profd_interval_start(), "/a", 1, 1,
                       profd_flow_global(77));
    PROFD_MARKER_TYPED(request, "span", PROFD_CATEGORY_LOCK, profd_interval_end(), "/b", 1, 1,
                       profd_flow_global(77));
    PROFD_MARKER_END("never started", PROFD_CATEGORY_OTHER, NULL);
    if (pthread_create(&thread, NULL, other_thread, &self) == 0)
        pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        profd_set_process_name("marking child");
        PROFD_MARKER_TYPED(request, "in the child", PROFD_CATEGORY_NETWORK,
                           profd_with_stack_now(profd_on_thread(profd_instant(), self)), "/child",
                           5, 6, profd_flow_global(77));
        exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
