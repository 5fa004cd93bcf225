/* The sampling signal: its handler, and the program's own use of the same signal.
 *
 * A signal that is not the agent's belongs to the program and goes to the action that the program
 * has set, which the agent keeps while its own handler is installed. When the program begins to use
 * the signal itself, the agent moves to another one (signal_choice.h). Each thread follows when it
 * next receives one of the agent's signals or changes its mask (thread_mask.h). The agent's handler
 * stays installed for the old signal, with the program's flags, since some of the agent's signals
 * may still be pending.
 *
 * All that the program calls is as safe in signal handlers as the call that it made. */
#ifndef PROFD_AGENT_SAMPLING_SIGNAL_H
#define PROFD_AGENT_SAMPLING_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/sampler/signal_descriptors.h"

/* Called from the constructor. CHOSEN is the user's choice; 0: the agent chooses. */
void sampling_signal_initialize(int chosen);

/* Returns the sampling signal. Any thread; another thread may change it at any time. */
int sampling_signal_number(void);

/* Returns whether the program uses the same signal. */
bool sampling_signal_is_shared(void);

/* Installs the handler. Idempotent. Returns 0 or -errno. */
int sampling_signal_install(void);

/* Makes the signal do nothing but end a wait in the calling agent thread. */
void sampling_signal_only_wakes(void);

/* Called when the calling thread has received the signal of INFO without its handler being run.
 * Returns true if the signal asked for a sample, which is then not taken. */
bool sampling_signal_withdraw_request(const siginfo_t *info);

/* Returns whether the program has a handler of its own for the signal. */
bool sampling_signal_is_handled_by_program(void);

/* Returns false in a child that was created past the C library or by vfork: what it does with its
 * signals is its own business, although it may share this process's memory. Makes a system call,
 * unless that is forbidden. */
bool sampling_signal_is_own_process(void);

/* Makes sampling_signal_is_own_process() return true without asking: from now on the process may
 * not ask for its id. */
void sampling_signal_take_for_own_process(void);

/* Returns whether NUMBER is, or may become, the sampling signal. */
bool sampling_signal_may_be(int number);

/* Returns those of these signals that the program does not use, as far as is known; bit N - 1 is
 * signal N. None behind a filter of system calls: the sampling signal does not change there, since
 * clocks would need calls to follow it. */
uint64_t sampling_signal_unused(void);

/* Returns the sampling signal, whoever else uses it, and what sampling_signal_unused() returns. */
uint64_t sampling_signal_present(void);

/* Returns all signals that are, or may become, the sampling signal, whoever uses them. */
uint64_t sampling_signal_ever(void);

/* Gets the action that the program wants for a signal. Returns 0, or -1 with errno. */
int sampling_signal_wanted_action(int number, struct sigaction *action);

/* Makes ACTION, which the kernel has for NUMBER, the one that the program wants, if it is the
 * agent's. Makes no call. */
void sampling_signal_hide_own_action(int number, struct sigaction *action);

/* Called when the program begins to use NUMBER. The agent leaves that signal, or shares it. */
void sampling_signal_note_use(int number);

/* Sends the program's signal that came as INFO once more, to the calling thread or the process as
 * before. Called in its handler. */
void sampling_signal_send_again(int number, siginfo_t *info);

/* Installs the agent's handlers anew, since the program has got its first small signal stack
 * (small_stacks.h). */
void sampling_signal_renew_actions(void);

/* Called when the program is about to have a handler for SIGCHLD, which must then not interrupt the
 * agent's handler. */
void sampling_signal_prepare_for_children(void);

/* sigaction() as the program sees it, for a signal that may be the agent's. */
int sampling_signal_program_action(int number, const struct sigaction *action,
                                   struct sigaction *old_action);

/* signalfd() as the program sees it, by REAL of the C library: what is read are none of the agent's
 * signals. Only when the program begins to use the same one, a few may still be on their way. */
int sampling_signal_program_descriptor(signalfd_function *real, int fd, const sigset_t *set,
                                       int flags);

/* Makes the kernel ignore the signals with the agent's handler that the program ignores, for a
 * program that is about to inherit that. Returns false if there are none; then
 * sampling_signal_take_up() must not be called. Also in children that share this process's
 * memory. */
bool sampling_signal_lay_down(void);

/* Installs the agent's handler again, unless another thread has also laid it down. */
void sampling_signal_take_up(void);

/* Called in a forked child. */
void sampling_signal_after_fork_child(void);

#endif
