/* What went wrong, described once where the details are known, and passed up unchanged.
 *
 * Functions that can fail for reasons that matter to the user take a struct failure and return
 * false, or a negative errno, after filling it; main prints its text as `profctl: TEXT` and exits
 * with its code. */
#ifndef PROFD_PROFCTL_FAILURE_H
#define PROFD_PROFCTL_FAILURE_H

/* Exit codes of profctl; `run` passes the command's own on. */
enum exit_code {
    EXIT_CODE_SUCCESS = 0,
    EXIT_CODE_FAILED = 1,
    EXIT_CODE_USAGE = 2,
    EXIT_CODE_NO_DAEMON = 3,
    EXIT_CODE_INCOMPLETE = 4, /* with --strict */
    EXIT_CODE_NOT_EXECUTABLE = 126,
    EXIT_CODE_NOT_FOUND = 127,
    EXIT_CODE_SIGNAL_BASE = 128, /* plus the signal that ended the command */
};

struct failure {
    enum exit_code code;
    char text[1024]; /* one line: what happened, then what to do */
};

/* Returns CODE, so that a caller can fail and return in one line. Text that is too long is cut. */
enum exit_code failure_set(struct failure *failure, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints one line on standard error, as every message of profctl: "profctl: …". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
