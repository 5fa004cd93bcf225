/* The functions of the API as a table: how an archive's front reaches the agent of the process.
 *
 * A program that is linked with libprofd.a contains an agent. If it is started with libprofd.so as
 * well, the two agents of the process could not share the connection. So only the library's agent
 * works, and the program's calls must get there. Therefore the functions of the archive are a
 * front: each is one jump through a slot (archive_front_x86_64.c), like a call into a shared
 * library. The slots are filled by the first call or by the constructor, whichever comes first
 * (archive_calls.c): from the library's table if there is one, otherwise with the functions of the
 * archive. */
#ifndef PROFD_AGENT_AGENT_CALLS_H
#define PROFD_AGENT_AGENT_CALLS_H

#include <stdint.h>

/* All functions of the API. The order is that of the table, which an archive and a library of
 * different versions share: append only. */
#define AGENT_CALLS(X)                                                                             \
    X(profd_register_thread)                                                                       \
    X(profd_unregister_thread)                                                                     \
    X(profd_set_process_name)                                                                      \
    X(profd_label_push)                                                                            \
    X(profd_label_pop)                                                                             \
    X(profd_label_scope_leave_)                                                                    \
    X(profd_label_text)                                                                            \
    X(profd_label_frame)                                                                           \
    X(profd_now)                                                                                   \
    X(profd_marker)                                                                                \
    X(profd_marker_text)                                                                           \
    X(profd_marker_interval)                                                                       \
    X(profd_marker_start)                                                                          \
    X(profd_marker_end)                                                                            \
    X(profd_marker_with)                                                                           \
    X(profd_marker_open_plain_)                                                                    \
    X(profd_marker_open_full_)                                                                     \
    X(profd_marker_close_)                                                                         \
    X(profd_text_cut_)                                                                             \
    X(profd_current_thread)                                                                        \
    X(profd_stack_capture)                                                                         \
    X(profd_flow_of)                                                                               \
    X(profd_flow_global)                                                                           \
    X(profd_counter_register)                                                                      \
    X(profd_counter_add_slow_)                                                                     \
    X(profd_thread_sleep)                                                                          \
    X(profd_thread_wake)                                                                           \
    X(profd_thread_is_sleeping)                                                                    \
    X(profd_current_thread_id)                                                                     \
    X(profd_current_process_id)                                                                    \
    X(profd_is_active_and_thread_is_registered)                                                    \
    X(profd_thread_is_being_profiled)                                                              \
    X(profd_thread_with_id_is_being_profiled)                                                      \
    X(profd_event_begin)                                                                           \
    X(profd_event_end)                                                                             \
    X(profd_event_loop_begin)                                                                      \
    X(profd_event_loop_turn)                                                                       \
    X(profd_event_loop_end)                                                                        \
    X(profd_call_after_sampling)                                                                   \
    X(profd_session_start)                                                                         \
    X(profd_session_stop)                                                                          \
    X(profd_session_pause)                                                                         \
    X(profd_session_resume)                                                                        \
    X(profd_is_active)                                                                             \
    X(profd_capture_to_fd)                                                                         \
    X(profd_group_ref)                                                                             \
    X(profd_group_unref)                                                                           \
    X(profd_group_set_active)                                                                      \
    X(profd_units_ask)                                                                             \
    X(profd_unit_set_active)                                                                       \
    X(profd_unit_forget)                                                                           \
    X(profd_unit_enter_slow_)                                                                      \
    X(profd_unit_leave_slow_)                                                                      \
    X(profd_blocked_begin)                                                                         \
    X(profd_blocked_end)                                                                           \
    X(profd_nested_loop_begin)                                                                     \
    X(profd_nested_loop_end)                                                                       \
    X(profd_iteration_end)                                                                         \
    X(profd_groups_monitor)                                                                        \
    X(profd_groups_snapshot)                                                                       \
    X(profd_groups_observe)                                                                        \
    X(profd_groups_unobserve)                                                                      \
    X(profd_groups_measure)

enum agent_call {
#define X(name) AGENT_CALL_##name,
    AGENT_CALLS(X)
#undef X
        AGENT_CALL_COUNT
};

/* A function of the API, of any type. */
typedef void agent_call_function(void);

struct agent_calls {
    uint64_t bytes; /* size of the table: an older library has fewer functions */
    /* From recording_word.h: make the word that the macros of an archive test follow that of the
     * library. */
    int (*follow)(volatile uint32_t *word);
    void (*unfollow)(volatile uint32_t *word);
    agent_call_function *functions[AGENT_CALL_COUNT];
};

/* Defined only in libprofd.so. An archive finds it by its name. */
extern const struct agent_calls profd_library_calls_ __attribute__((visibility("default")));

#endif
