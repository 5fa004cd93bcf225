#include "child-agent/agent_lease.h"

#include <errno.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/address_space.h"
#include "common/system_id.h"
#include "ipc/ledger_file.h"

/* Ledgers are never unmapped while a thread could be looking at one: only after so many changes of
 * profd. */
enum { KEPT_LEDGERS = 8 };

static struct lease_ledger kept[KEPT_LEDGERS];
static unsigned changes;
static struct lease_ledger *current; /* one of them; NULL: none */
static int last_error;               /* of mapping a ledger that is there */
static pid_t opener;                 /* the process that opened it by its path */

static void set_current(const struct lease_ledger *ledger)
{
    struct lease_ledger *slot = &kept[changes++ % KEPT_LEDGERS];

    lease_ledger_close(slot);
    *slot = *ledger;
    current = slot;
}

/* A process of few addresses sees only the first units of a large ledger. */
static uint32_t most_units(void)
{
    const uint64_t all = LEASE_LEDGER_MAX_UNITS * sizeof(uint64_t);
    return (uint32_t)(address_space_within(ADDRESSES_LEDGER, all) / sizeof(uint64_t));
}

int agent_lease_find(const char *socket_path)
{
    struct lease_ledger ledger;

    if (current != NULL)
        return 0;
    int error = ledger_file_open(socket_path, most_units(), &ledger);
    if (error == 0) {
        set_current(&ledger);
        opener = getpid();
    }
    last_error = error == -ENOENT || error == -ENOTDIR || error == -ESTALE ? 0 : error;
    return last_error;
}

int agent_lease_renew(const char *socket_path)
{
    struct lease_ledger ledger;

    int error = ledger_file_open(socket_path, most_units(), &ledger);
    if (error < 0)
        return error;
    set_current(&ledger);
    opener = getpid();
    last_error = 0;
    return 0;
}

int agent_lease_take_over(int fd)
{
    struct lease_ledger other;

    last_error = 0;
    if (current != NULL && lease_ledger_is_in(current, fd))
        return 0;
    last_error = lease_ledger_open(fd, most_units(), &other);
    if (last_error < 0)
        return last_error;
    set_current(&other);
    return 0;
}

int agent_lease_get(struct lease_ledger **out)
{
    *out = current;
    return last_error;
}

bool agent_lease_allows_no_thread(void)
{
    return last_error == 0 && current != NULL && atomic_load(&current->header->may_be_alone) != 0;
}

uint32_t agent_lease_group_needs(void)
{
    const struct lease_ledger *ledger = current;
    if (ledger == NULL || lease_ledger_has_ended(ledger))
        return 0;
    return atomic_load_explicit(&ledger->header->group_needs, memory_order_relaxed);
}

uint32_t agent_lease_protocol_minor(void)
{
    const struct lease_ledger *ledger = current;
    return ledger == NULL ? 0 : atomic_load(&ledger->header->protocol_minor);
}

bool agent_lease_read_session(struct session_word *out)
{
    *out = (struct session_word){ 0 };
    if (!agent_lease_has_ended() && current != NULL && last_error == 0)
        *out = session_word_unpack(atomic_load(&current->header->session_word));
    return current != NULL && last_error == 0;
}

/* Whether profd has the number here that it has in its own namespace. What the process that opened
 * the ledger saw holds for that process alone. */
static bool sees_profd(pid_t pid)
{
    return current != NULL && opener == pid && current->seen_profd_pid != 0 &&
           current->seen_profd_pid == atomic_load(&current->header->profd_pid);
}

bool agent_lease_is_of_namespace(uint64_t pid_namespace)
{
    return current != NULL && pid_namespace != 0 && current->header->pid_namespace == pid_namespace;
}

/* Whether the image that began at START_NS in process PID is in another pid namespace than profd. A
 * process stays where it is, and a child whose parent can be seen from there is in its parent's:
 * asking the kernel takes as long as a fork's own system calls. */
static bool is_foreign(pid_t pid, uint64_t start_ns)
{
    static struct {
        const struct lease_ledger *ledger;
        pid_t pid;
        uint64_t start_ns;
        bool is_foreign;
    } known;
    bool is_known = known.pid != 0 && known.ledger == current;
    bool is_same = known.pid == pid && known.start_ns == start_ns;

    if (is_known && is_same)
        return known.is_foreign;
    bool is_child_of_known = is_known && known.pid != pid && getppid() == known.pid;
    bool is_elsewhere = is_child_of_known
                            ? known.is_foreign
                            : !sees_profd(pid) && !agent_lease_is_of_namespace(pid_namespace());
    if (pid != core.pid) /* a child of vfork: the memory is its parent's */
        return is_elsewhere;
    known.ledger = current;
    known.pid = pid;
    known.start_ns = start_ns;
    known.is_foreign = is_elsewhere;
    return is_elsewhere;
}

lease_owner agent_lease_owner(void)
{
    pid_t pid = getpid();

    if (core_local.has_arena)
        return core.arena.lease.owner;
    return lease_owner_make(pid, core.start_ns, is_foreign(pid, core.start_ns));
}

void agent_lease_after_fork_child(void)
{
    opener = 0;
}

bool agent_lease_has_ended(void)
{
    return current != NULL && lease_ledger_has_ended(current);
}
