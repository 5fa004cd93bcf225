/* What the lines of a report are about. Pure. */
#ifndef PROFD_PROFCTL_REPORT_BY_H
#define PROFD_PROFCTL_REPORT_BY_H

/* As people write them, in the order in which they are told. */
#define REPORT_BY_KINDS(X)                                                                         \
    X(FUNCTION, "function")                                                                        \
    X(LINE, "line")                                                                                \
    X(LABEL, "label")                                                                              \
    X(THREAD, "thread")                                                                            \
    X(PROCESS, "process")                                                                          \
    X(PROGRAM, "program")                                                                          \
    X(MARKER, "marker")                                                                            \
    X(COUNTER, "counter")

enum report_by {
    REPORT_BY_NOTHING, /* not chosen */
#define X(name, text) REPORT_BY_##name,
    REPORT_BY_KINDS(X)
#undef X
};

#define REPORT_BY_TEXT "function, line, label, thread, process, program, marker or counter"

/* The kind that is called NAME; REPORT_BY_NOTHING: none is. */
enum report_by report_by_named(const char *name);
/* What BY is called; it is not REPORT_BY_NOTHING. */
const char *report_by_name(enum report_by by);

#endif
