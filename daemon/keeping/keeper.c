#include "daemon/keeping/keeper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "daemon/keeping/kept_arenas.h"
#include "daemon/keeping/kept_ledger.h"
#include "ipc/socket.h"

enum { LOOK_EVERY_MS = 5000 };

enum keeper_state { KEEPER_SERVES, KEEPER_ORPHANED, KEEPER_IS_OVER };

struct keeper {
    enum keeper_state state;
    int profd_fd; /* -1: none */
    int listening_fd;
    int ledger_fd;          /* -1: none */
    uint64_t needed_ns;     /* when something here was last of use */
    uint64_t left_until_ns; /* when to end in any case; 0: profd has not left */
    struct kept_arenas arenas;
};

static void enter_state(struct keeper *keeper, enum keeper_state next)
{
    switch (next) {
    case KEEPER_SERVES:
        assert(keeper->state == KEEPER_ORPHANED);
        break;
    case KEEPER_ORPHANED:
        assert(keeper->state == KEEPER_SERVES);
        break;
    case KEEPER_IS_OVER:
        break;
    }
    keeper->state = next;
}

static void lose_profd(struct keeper *keeper)
{
    close(keeper->profd_fd);
    keeper->profd_fd = -1;
    keeper->needed_ns = clock_monotonic_ns();
    enter_state(keeper, KEEPER_ORPHANED);
}

/* --- profd's word --- */

static void obey_message(struct keeper *keeper, const struct keeper_message *message, int fd)
{
    if (message->kind == KEEPER_KEEP && fd >= 0) {
        (void)kept_arenas_add(&keeper->arenas, message, fd); /* without memory it is not kept */
        return;
    }
    if (fd >= 0)
        close(fd);
    if (message->kind == KEEPER_DROP)
        kept_arenas_drop(&keeper->arenas, message->id);
    if (message->kind == KEEPER_LEAVE)
        keeper->left_until_ns = message->id;
    if (message->kind == KEEPER_OVER)
        enter_state(keeper, KEEPER_IS_OVER);
}

static void serve_profd(struct keeper *keeper)
{
    static struct keeper_message message;
    int fd, got;

    while (keeper->state == KEEPER_SERVES &&
           (got = keeper_message_receive(keeper->profd_fd, &message, &fd)) != 0) {
        if (got < 0)
            lose_profd(keeper);
        else
            obey_message(keeper, &message, fd);
    }
}

/* --- Without profd --- */

static void receive_profd(struct keeper *keeper)
{
    int fd = accept4(keeper->listening_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return;
    if (!socket_peer_is_trusted(fd) || kept_arenas_send(&keeper->arenas, fd) < 0) {
        close(fd);
        return;
    }
    keeper->profd_fd = fd;
    keeper->left_until_ns = 0;
    enter_state(keeper, KEEPER_SERVES);
}

/* Until the session that profd left is over, whoever lives; and without one, while somebody may
 * want what is here. */
static void look_for_need(struct keeper *keeper)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (keeper->left_until_ns != 0) {
        if (now_ns > keeper->left_until_ns)
            enter_state(keeper, KEEPER_IS_OVER);
        return;
    }
    if (kept_arenas_have_living(&keeper->arenas) || kept_ledger_has_living(keeper->ledger_fd))
        keeper->needed_ns = now_ns;
    if ((keeper->arenas.count == 0 && keeper->ledger_fd < 0) ||
        now_ns - keeper->needed_ns > (uint64_t)KEEPER_PATIENCE_FOR_PROFD_S * NS_PER_S)
        enter_state(keeper, KEEPER_IS_OVER);
}

/* Until it is to look what to do, if nobody connects. */
static int look_after_ms(const struct keeper *keeper)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (keeper->left_until_ns == 0 ||
        keeper->left_until_ns > now_ns + (uint64_t)LOOK_EVERY_MS * NS_PER_MS)
        return LOOK_EVERY_MS;
    return keeper->left_until_ns > now_ns ? (int)((keeper->left_until_ns - now_ns) / NS_PER_MS) + 1
                                          : 0;
}

bool keeper_run(int profd_fd, int listening_fd, int ledger_fd)
{
    struct keeper keeper = { .state = KEEPER_SERVES,
                             .profd_fd = profd_fd,
                             .listening_fd = listening_fd,
                             .ledger_fd = ledger_fd };

    while (keeper.state != KEEPER_IS_OVER) {
        bool serves = keeper.state == KEEPER_SERVES;
        struct pollfd waited = { .fd = serves ? keeper.profd_fd : keeper.listening_fd,
                                 .events = POLLIN };
        int got = poll(&waited, 1, serves ? -1 : look_after_ms(&keeper));
        if (got > 0 && serves)
            serve_profd(&keeper);
        else if (got > 0)
            receive_profd(&keeper);
        if (keeper.state == KEEPER_ORPHANED)
            look_for_need(&keeper);
    }
    bool nobody_came = keeper.profd_fd < 0;
    kept_arenas_clear(&keeper.arenas);
    if (!nobody_came)
        close(keeper.profd_fd);
    close(keeper.listening_fd);
    return nobody_came;
}
