/* The process's share of profd's one memory limit: where the ledger is, and who this process is in
 * it.
 *
 * The ledger is mapped before anything is recorded, by its path or by the descriptor that comes
 * with profd's welcome. It stays mapped, since threads may be taking units at any moment. The
 * functions are called by the constructor, a forked child or the agent thread, one at a time,
 * unless stated otherwise. */
#ifndef PROFD_AGENT_AGENT_LEASE_H
#define PROFD_AGENT_AGENT_LEASE_H

#include <stdbool.h>

#include "buffer/lease_ledger.h"
#include "buffer/session_word.h"

/* Maps the ledger of the profd at SOCKET_PATH unless one is already mapped. Also returns 0 if there
 * is none: no profd has ever set a limit, and only the session's own limit applies. Returns a
 * negative errno if there is a ledger that cannot be used; nothing may be recorded then. */
int agent_lease_find(const char *socket_path);

/* Uses the ledger in FD, which stays the caller's, as profd's. It may be the one that is already
 * mapped. Returns 0, or an error of mapping it. */
int agent_lease_take_over(int fd);

/* Replaces the ledger of a profd that has ended with that of the profd that listens at SOCKET_PATH.
 * Returns 0, or -ENOENT or another error while there is none. */
int agent_lease_renew(const char *socket_path);

/* Returns whether profd needs no agent thread in processes with one thread. */
bool agent_lease_allows_no_thread(void);

/* Returns what profd's clients request of performance groups, as enum group_needs; 0 if profd has
 * ended. Any thread; async-signal-safe. */
uint32_t agent_lease_group_needs(void);

/* Returns the newest minor version of the protocol that profd understands; 0 without a ledger. */
uint32_t agent_lease_protocol_minor(void);

/* Reads what profd says about the current session (buffer/session_word.h). The generation is 0 if
 * profd has ended. Returns false without a ledger. */
bool agent_lease_read_session(struct session_word *out);

/* Gets the ledger to record with. Returns 0 with NULL if there is none, or the error of the last
 * attempt to map one. */
int agent_lease_get(struct lease_ledger **out);

/* Returns the owner that stands for this process image. It is never LEASE_OWNER_NOBODY, and it
 * stays the same for as long as the image has an arena. */
lease_owner agent_lease_owner(void);

/* Returns whether the pid namespace with the id PID_NAMESPACE (0: not known, and so it is not) is
 * that of profd. Any thread; async-signal-safe. */
bool agent_lease_is_of_namespace(uint64_t pid_namespace);

/* Resets the lease in a forked child, which may be in another pid namespace than its parent. */
void agent_lease_after_fork_child(void);

/* Returns whether the ledger's profd ended properly, so that nobody will read what is recorded. */
bool agent_lease_has_ended(void);

#endif
