/* The process' share of profd's one memory limit: where the ledger is, and who we are in it.
 *
 * The ledger is mapped before anything is recorded, by its path or by the descriptor that comes
 * with profd's welcome, and stays mapped: threads may be taking units at any moment. Constructor,
 * forked child, agent thread: one at a time. */
#ifndef PROFD_AGENT_AGENT_LEASE_H
#define PROFD_AGENT_AGENT_LEASE_H

#include <stdbool.h>

#include "buffer/lease_ledger.h"
#include "buffer/session_word.h"

/* Maps the ledger of the profd at SOCKET_PATH unless one is mapped. 0 also when there is none: no
 * profd ever asked for a limit, and the session's own one is all there is. Negative when there is
 * one that cannot be used: then nothing may be recorded. */
int agent_lease_find(const char *socket_path);

/* The ledger in FD, which stays the caller's, is profd's. It may be the one of before. 0, or an
 * error of mapping it. */
int agent_lease_take_over(int fd);

/* The ledger of the profd that listens at SOCKET_PATH by now, whose predecessor's is over. 0, or
 * -ENOENT and others while there is none. */
int agent_lease_renew(const char *socket_path);

/* Whether its profd leaves processes of one thread alone: it needs no thread of ours in them. */
bool agent_lease_allows_no_thread(void);

/* What its profd's clients ask for of performance groups: enum group_needs; 0 when it is over. Any
 * thread, also in signal handlers. */
uint32_t agent_lease_group_needs(void);

/* The newest minor version of the protocol that its profd understands; 0 without a ledger. */
uint32_t agent_lease_protocol_minor(void);

/* What its profd says of the session that is on (buffer/session_word.h); generation 0 when profd is
 * over. False without a ledger. */
bool agent_lease_read_session(struct session_word *out);

/* The ledger to record with. 0 with NULL when there is none, or the error of the last attempt to
 * map one. */
int agent_lease_get(struct lease_ledger **out);

/* Of this image; not nobody, and the same for as long as it has an arena. */
lease_owner agent_lease_owner(void);

/* In a forked child, which may be in another pid namespace than its parent. */
void agent_lease_after_fork_child(void);

/* True when the profd that the ledger belongs to ended in good order: nobody will ask for what is
 * recorded. */
bool agent_lease_has_ended(void);

#endif
