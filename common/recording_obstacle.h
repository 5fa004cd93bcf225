/* Why nothing is recorded in a process. Pure. */
#ifndef PROFD_COMMON_RECORDING_OBSTACLE_H
#define PROFD_COMMON_RECORDING_OBSTACLE_H

/* The first ones are said by agents that are there and cannot
 * record; the others are judged from outside (common/program_facts.h). Append, never reuse. */
#define RECORDING_OBSTACLES(X)                                                                     \
    X(NONE, 0, "")                                                                                 \
    X(NO_LEASE, 1, "no memory was left under the limit")                                           \
    X(NO_DESCRIPTOR, 2, "it could open no more descriptors")                                       \
    X(NO_MEMORY, 3, "it had no memory for an arena")                                               \
    X(FILE_LIMIT, 4, "its file-size limit leaves no room for an arena")                            \
    X(OTHER, 5, "its arena could not be made")                                                     \
    X(STATIC, 6, "it is statically linked, so the agent cannot be preloaded")                      \
    X(PRIVILEGED, 7, "it gains privileges when it starts (setuid, setgid or capabilities)")        \
    X(ENVIRONMENT, 8, "its environment was cleared: LD_PRELOAD does not name the agent")           \
    X(DISABLED, 9, "PROFD_DISABLE=1 is in its environment")                                        \
    X(FOREIGN, 10, "it was built for another machine or word size than the agent")                 \
    X(SILENT, 11, "its agent never said hello")                                                    \
    X(OTHER_USER, 12, "it belongs to another user, and could not be told that it may record")      \
    X(OUT_OF_REACH, 13,                                                                            \
      "the agent cannot be opened where it runs, or a filter of system calls would stop it")       \
    X(SANITIZER, 14,                                                                               \
      "it was built with a sanitizer (ASAN_OPTIONS=verify_asan_link_order=0 lets the agent in)")   \
    X(LOST, 15, "its arena was lost with the profd that had it")

enum recording_obstacle {
#define X(name, number, text) OBSTACLE_##name = number,
    RECORDING_OBSTACLES(X)
#undef X
        OBSTACLE_COUNT
};
/* For people; "" when there is none. */
const char *recording_obstacle_text(enum recording_obstacle obstacle);

#endif
