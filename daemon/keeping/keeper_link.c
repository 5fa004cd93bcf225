#include "daemon/keeping/keeper_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/time_units.h"
#include "daemon/children/spawn.h"
#include "daemon/keeping/keeper.h"
#include "daemon/log.h"
#include "ipc/ledger_memfd.h"
#include "ipc/socket.h"

/* A keeper that lives for less cannot run here. */
enum { LEAST_LIFE_NS = NS_PER_S };

static int make_address(const char *socket_path, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int length = snprintf(out->sun_path, sizeof(out->sun_path), "%s" KEEPER_SUFFIX, socket_path);
    return length > 0 && (size_t)length < sizeof(out->sun_path) ? 0 : -ENAMETOOLONG;
}

static int make_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

/* --- The keeper of a profd that is gone --- */

/* A keeper that has not noticed yet that its profd is gone lets us wait in its backlog. */
static int connect_to_keeper(const struct sockaddr_un *address)
{
    int fd = make_socket();

    if (fd < 0)
        return fd;
    int error = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
    if (error == 0 && !socket_peer_is_trusted(fd))
        error = -EACCES;
    if (error < 0) {
        close(fd);
        return error;
    }
    return fd;
}

/* --- A new one --- */

static int listen_at_address(const struct sockaddr_un *address)
{
    int fd = make_socket();

    if (fd < 0)
        return fd;
    (void)unlink(address->sun_path); /* what a keeper left that was killed */
    mode_t mask = umask(077);
    int error = bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
    (void)umask(mask);
    if (error == 0 && listen(fd, 1) < 0)
        error = -errno;
    if (error < 0) {
        close(fd);
        return error;
    }
    return fd;
}

static int spawn_keeper(const struct keeper_link *link, int keepers_fd, int listening_fd)
{
    /* The keeper removes what is beside that path, should no profd come. */
    char *arguments[] = { (char *)link->views.program, (char *)link->views.socket_path, NULL };
    char *environment[] = { NULL };
    struct spawn_options options = {
        .arguments = arguments,
        .environment = environment,
        .directory = "/",
        .fds = { keepers_fd, listening_fd, link->views.ledger_fd },
        .fd_count = ledger_memfd_is_sealed(link->views.ledger_fd) ? 3 : 2,
        .own_group = true, /* Ctrl-C is not for it */
        .terminal_fd = -1,
    };
    int status_fd, wait_status = 0;
    pid_t pid, ended;
    int error = spawn(&options, &pid, &status_fd);

    if (error < 0)
        return error;
    close(status_fd);
    do
        ended = waitpid(pid, &wait_status, 0); /* it leaves the keeper behind, at once */
    while (ended < 0 && errno == EINTR);
    return ended == pid && wait_status == 0 ? 0 : -ENOEXEC;
}

/* As spawn_keeper(), while profd does not ask for the orphans among its descendants: the keeper is
 * none of the program's processes. */
static int start_as_orphan(const struct keeper_link *link, int keepers_fd, int listening_fd)
{
    int adopts = 0;

    (void)prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0); /* both options are there, or neither */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    int error = spawn_keeper(link, keepers_fd, listening_fd);
    (void)prctl(PR_SET_CHILD_SUBREAPER, adopts, 0, 0, 0);
    return error;
}

static int start_keeper(struct keeper_link *link, const struct sockaddr_un *address)
{
    int ends[2];
    int listening_fd = listen_at_address(address);

    if (listening_fd < 0)
        return listening_fd;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        close(listening_fd);
        return -errno;
    }
    int error = start_as_orphan(link, ends[1], listening_fd);
    close(listening_fd);
    close(ends[1]);
    if (error < 0)
        close(ends[0]);
    else
        link->fd = ends[0];
    return error;
}

/* --- To notice its end --- */

static void free_poll(uv_handle_t *handle)
{
    free(handle);
}

static void end_link(struct keeper_link *link)
{
    if (link->poll != NULL) {
        uv_poll_stop(link->poll);
        uv_close((uv_handle_t *)link->poll, free_poll);
    }
    close(link->fd);
    link->poll = NULL;
    link->fd = -1;
}

static int watch_keeper(struct keeper_link *link);

/* What the old one had is lost only if profd is killed before it is kept again. */
static void replace_keeper(struct keeper_link *link)
{
    const uint64_t now_ns = uv_hrtime();
    bool lasted = link->replaced_ns == 0 || now_ns - link->replaced_ns > LEAST_LIFE_NS;
    const char *why = strerror(-link->failure);
    struct sockaddr_un address;

    end_link(link);
    link->failure = 0;
    link->replaced_ns = now_ns;
    int error = lasted ? make_address(link->views.socket_path, &address) : -ECONNABORTED;
    if (error == 0)
        error = start_keeper(link, &address);
    bool is_replaced = error == 0 && watch_keeper(link) == 0;
    link->events->on_replaced(link->context);
    log_warn("profd-keeper does not answer (%s); %s", why,
             is_replaced ? "started another one"
                         : "new single-threaded processes get agent threads");
}

/* A keeper says nothing that it is not asked. */
static void on_poll(uv_poll_t *poll, int status, int events)
{
    static struct keeper_message message;
    struct keeper_link *link = poll->data;
    int fd, got = status;

    (void)events;
    if (status == 0)
        while ((got = keeper_message_receive(link->fd, &message, &fd)) > 0)
            if (fd >= 0)
                close(fd);
    if (got == 0)
        return;
    if (link->failure == 0)
        link->failure = got;
    replace_keeper(link);
}

static int watch_keeper(struct keeper_link *link)
{
    uv_poll_t *poll = malloc(sizeof(*poll));
    int error = poll == NULL ? -ENOMEM : uv_poll_init(link->views.loop, poll, link->fd);

    if (error == 0) {
        poll->data = link;
        link->poll = poll;
        error = uv_poll_start(poll, UV_READABLE | UV_DISCONNECT, on_poll);
    } else {
        free(poll);
    }
    if (error < 0)
        end_link(link);
    return error;
}

/* It ends as far as profd goes; on_poll() comes next. */
static void take_for_gone(struct keeper_link *link, int error)
{
    if (link->failure != 0)
        return;
    link->failure = error;
    (void)shutdown(link->fd, SHUT_RDWR); /* fails if it is gone indeed */
}

int keeper_link_open(struct keeper_link *link, const struct keeper_views *views, bool is_successor,
                     const struct keeper_events *events, void *context)
{
    struct sockaddr_un address;

    *link = (struct keeper_link){ .views = *views, .events = events, .context = context, .fd = -1 };
    int error = make_address(views->socket_path, &address);
    if (error < 0)
        return error;
    link->fd = is_successor ? connect_to_keeper(&address) : -ENOENT;
    link->has_kept = link->fd >= 0;
    if (link->fd < 0)
        error = start_keeper(link, &address);
    if (error < 0) {
        link->fd = -1;
        return error;
    }
    return watch_keeper(link);
}

bool keeper_link_is_open(const struct keeper_link *link)
{
    return link->events != NULL && link->fd >= 0;
}

/* --- What passes --- */

int keeper_link_fetch(struct keeper_link *link,
                      void (*visit)(const struct keeper_message *message, int fd, void *context),
                      void *context)
{
    static struct keeper_message message;
    int fd, got;

    if (!keeper_link_is_open(link) || !link->has_kept)
        return 0; /* a new one has nothing */
    link->has_kept = false;
    while ((got = keeper_message_await(link->fd, &message, &fd)) > 0) {
        if (message.kind == KEEPER_KEPT && fd >= 0)
            visit(&message, fd, context);
        else if (fd >= 0)
            close(fd);
        if (message.kind == KEEPER_ALL)
            return 0;
    }
    return got;
}

int keeper_link_keep(struct keeper_link *link, uint64_t id, pid_t pid, uid_t uid,
                     const uint8_t *hello, size_t hello_bytes, int arena_fd)
{
    static struct keeper_message message;

    if (!keeper_link_is_open(link))
        return -ENOTCONN;
    if (hello_bytes > sizeof(message.hello))
        return -EMSGSIZE;
    message = (struct keeper_message){
        .kind = KEEPER_KEEP, .pid = pid, .uid = uid, .hello_bytes = (uint32_t)hello_bytes, .id = id
    };
    memcpy(message.hello, hello, hello_bytes);
    int error =
        link->failure != 0 ? link->failure : keeper_message_send(link->fd, &message, arena_fd);
    if (error < 0)
        take_for_gone(link, error);
    return error;
}

void keeper_link_drop(struct keeper_link *link, uint64_t id)
{
    const struct keeper_message message = { .kind = KEEPER_DROP, .id = id };
    int error = keeper_link_is_open(link) && link->failure == 0
                    ? keeper_message_send(link->fd, &message, -1)
                    : 0;

    if (error < 0)
        take_for_gone(link, error);
}

/* --- Ends --- */

void keeper_link_leave(struct keeper_link *link, uint64_t until_ns)
{
    const struct keeper_message leave = { .kind = KEEPER_LEAVE, .id = until_ns };

    if (!keeper_link_is_open(link))
        return;
    (void)keeper_message_send(link->fd, &leave, -1); /* else it stays as if profd was killed */
    end_link(link);
}

void keeper_link_close(struct keeper_link *link)
{
    const struct keeper_message over = { .kind = KEEPER_OVER };
    struct sockaddr_un address;

    if (!keeper_link_is_open(link))
        return;
    (void)keeper_message_send(link->fd, &over, -1); /* else it ends by itself, later */
    end_link(link);
    if (make_address(link->views.socket_path, &address) == 0)
        (void)unlink(address.sun_path); /* it may be gone with its folder */
}
