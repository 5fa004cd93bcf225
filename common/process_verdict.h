/* What became of a process; shown in the profile and by status.
 *
 * The numbers are part of the protocol and of files: append, never reuse. Pure. */
#ifndef PROFD_COMMON_PROCESS_VERDICT_H
#define PROFD_COMMON_PROCESS_VERDICT_H

#define PROCESS_VERDICTS(X)                                                                        \
    X(LIVE, 0, "live")                                                                             \
    X(EXITED, 1, "exited")     /* code: exit status */                                             \
    X(KILLED, 2, "killed")     /* code: signal */                                                  \
    X(EXECED, 3, "execed")     /* the process became another program */                            \
    X(FROZEN, 4, "frozen")     /* did not answer; read from its arena */                           \
    X(VANISHED, 5, "vanished") /* ended in an unknown way */                                       \
    X(NOT_PROFILED, 6, "not-profiled")

enum process_verdict {
#define X(name, number, text) VERDICT_##name = number,
    PROCESS_VERDICTS(X)
#undef X
};
#define X(name, number, text) +1
enum { VERDICT_COUNT = 0 PROCESS_VERDICTS(X) };
#undef X

/* "live" and so on; "unknown" for any other number. */
const char *process_verdict_name(enum process_verdict verdict);

#endif
