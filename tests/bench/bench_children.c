/* What a thousand recording processes cost profd: bench_children SOCKET PID, where profd listens
 * and its process.
 *
 * A thousand agents that sample each millisecond would need more cores than there are to be
 * measured on, so processes of this program stand in for them: each has its own connection, lease,
 * arena and chunk manager, and keeps the protocol. What they don't do is to fill their chunks: they
 * release one as often as samples of SAMPLE_BYTES would have filled it. They answer at once, where
 * agents collect what happens in 50 ms: profd has more to do, not less. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "buffer/chunk_manager.h"
#include "ipc/ledger_file.h"
#include "ipc/messages.h"
#include "ipc/socket.h"
#include "tests/bench/watched_profd.h"

enum {
    CHILDREN = 1000,
    SAMPLE_BYTES = 64, /* half as much again as those of a busy program take */
    SAMPLES_PER_SECOND = 1000,
    SETTLE_SECONDS = 5,
    SECONDS = 10,
    DEADLINE_SECONDS = 120,
    ARENA_BYTES = 64 * 1024 * 1024,
};

/* Between two chunks of a child. */
#define PERIOD_NS (1e9 * CHUNK_BUFFER_BYTES / SAMPLE_BYTES / SAMPLES_PER_SECOND)

/* Of all processes. */
static struct {
    _Atomic int started;
    _Atomic uint64_t updates, chunks;
} * shared;

static pid_t children[CHILDREN];

/* --- One child --- */

static struct {
    int fd;
    struct lease_ledger ledger;
    struct arena arena;
    struct chunk_manager *manager; /* NULL: no session yet */
    struct chunk *chunk;
    uint64_t generation;
    struct chunk_update pending;
    bool owes_update;
    double due_ns; /* when the chunk is full */
    struct frame_reader reader;
} me;

static uint8_t message[64 * 1024];

/* A child that cannot go on ends; then there are fewer than were counted on, and that is said. */
static void need_result(long result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "%d: %s: %s\n", (int)getpid(), what, strerror((int)-result));
    _exit(1);
}

static void send_message(long count, int fd)
{
    need_result(count, "encoding");
    ssize_t sent = socket_send(me.fd, message, (size_t)count, &fd, fd >= 0);
    need_result(sent == count ? 0 : sent < 0 ? sent : -EIO, "sending");
}

static void on_update(const struct chunk_update *update, void *unused)
{
    (void)unused;
    need_result(chunk_update_fold(&me.pending, update), "folding");
}

static void begin_session(const struct message_session *session)
{
    const struct message_generation started = { session->generation };

    if (session->generation == 0 || me.manager != NULL)
        return;
    me.generation = session->generation;
    need_result(chunk_manager_create(&me.arena, (uint32_t)me.generation,
                                     session->memory_limit_bytes, &me.manager),
                "chunk manager");
    chunk_manager_set_update_callback(me.manager, on_update, NULL);
    me.due_ns = bench_now_ns() + PERIOD_NS * (getpid() % CHILDREN) / CHILDREN;
    send_message(message_put_generation(message, sizeof(message), MESSAGE_STARTED, &started), -1);
    atomic_fetch_add(&shared->started, 1);
}

static void obey_message(int kind, const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;
    struct message_session session;
    struct message_destroy_released destroy;

    switch (kind) {
    case MESSAGE_WELCOME:
        need_result(message_get_welcome(payload, bytes, &welcome), "welcome");
        begin_session(&welcome.session);
        break;
    case MESSAGE_ENSURE_STARTED:
        need_result(message_get_session(payload, bytes, &session), "session");
        begin_session(&session);
        break;
    case MESSAGE_AWAIT_NEXT_CHUNK_MANAGER_UPDATE:
        me.owes_update = true;
        break;
    case MESSAGE_DESTROY_RELEASED_CHUNKS_AT_OR_BEFORE:
        need_result(message_get_destroy_released(payload, bytes, &destroy), "destroy");
        chunk_manager_destroy_released_at_or_before(me.manager, destroy.done_ns);
        break;
    default:
        need_result(-EPROTO, "message");
    }
}

static void receive_messages(void)
{
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count = 0, room, bytes;
    const uint8_t *payload;
    uint8_t *into;

    need_result(frame_reader_room(&me.reader, &into, &room), "room");
    ssize_t got = socket_receive(me.fd, into, room, fds, &fd_count);
    for (size_t i = 0; i < fd_count; i++)
        close(fds[i]);
    if (got == -EAGAIN)
        return;
    need_result(got == 0 ? -EPIPE : got, "receiving");
    frame_reader_filled(&me.reader, (size_t)got);
    while (frame_reader_next(&me.reader, &payload, &bytes) > 0)
        obey_message(message_peek_kind(payload, bytes), payload, bytes);
}

static void connect_to(const char *path)
{
    while ((me.fd = socket_connect(path, 0)) == -EAGAIN)
        usleep(10000);
    need_result(me.fd, "connecting");
    frame_reader_init(&me.reader);
    need_result(ledger_file_open(path, LEASE_LEDGER_MAX_UNITS, &me.ledger), "ledger");
    lease_owner owner = lease_owner_make(getpid(), (uint64_t)bench_now_ns(), false);
    const struct arena_room room = { ARENA_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    need_result(arena_create_leased(&room, &me.ledger, owner, &me.arena), "arena");
    const struct message_hello hello = {
        .protocol_version = PROTOCOL_VERSION,
        .pid = getpid(),
        .parent_pid = getppid(),
        .start_ns = me.arena.header->process_start_ns,
        .lease_owner = owner,
        .executable = { "/bench_children", strlen("/bench_children") },
        .command_line = { "bench_children", strlen("bench_children") },
    };
    send_message(message_put_hello(message, sizeof(message), MESSAGE_HELLO, &hello), me.arena.fd);
}

static void fill_chunk(void)
{
    if (me.manager == NULL || bench_now_ns() < me.due_ns)
        return;
    me.due_ns += PERIOD_NS;
    me.chunk = chunk_manager_exchange(me.manager, me.chunk, 0);
    if (me.chunk != NULL)
        atomic_fetch_add(&shared->chunks, 1);
}

static void answer_order(void)
{
    if (!me.owes_update || me.pending.kind == CHUNK_UPDATE_NONE)
        return;
    const struct message_chunk_manager_update update = { me.generation, me.pending };
    me.pending.kind = CHUNK_UPDATE_NONE;
    me.pending.newly_released_count = 0;
    me.owes_update = false;
    send_message(message_put_chunk_manager_update(message, sizeof(message),
                                                  MESSAGE_CHUNK_MANAGER_UPDATE, &update),
                 -1);
    atomic_fetch_add(&shared->updates, 1);
}

static void run_child(const char *path)
{
    connect_to(path);
    for (;;) {
        double wait_ms = me.manager == NULL ? -1 : (me.due_ns - bench_now_ns()) / 1e6 + 1;
        struct pollfd readable = { me.fd, POLLIN, 0 };
        if (poll(&readable, 1, wait_ms < 0 && me.manager != NULL ? 0 : (int)wait_ms) > 0)
            receive_messages();
        fill_chunk();
        answer_order();
    }
}

/* --- All of them --- */

static void start_child(int index, const char *path, pid_t parent)
{
    children[index] = fork();
    if (children[index] < 0) {
        perror("fork");
        exit(1);
    }
    if (children[index] > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        run_child(path);
    _exit(1);
}

static bool wait_for_all(void)
{
    double deadline = bench_now_ns() + DEADLINE_SECONDS * 1e9;
    while (atomic_load(&shared->started) < CHILDREN) {
        if (bench_now_ns() > deadline)
            return false;
        usleep(50000);
    }
    return true;
}

/* Without that the figure would tell of less work than it claims. */
static bool keeps_up(uint64_t chunks)
{
    double expected = CHILDREN * (double)SECONDS * 1e9 / PERIOD_NS;
    if ((double)chunks >= 0.9 * expected)
        return true;
    fprintf(stderr, "the machine is too slow: %llu chunks instead of %.0f\n",
            (unsigned long long)chunks, expected);
    return false;
}

static bool measure_rates(pid_t profd)
{
    sleep(SETTLE_SECONDS);
    uint64_t chunks = atomic_load(&shared->chunks), updates = atomic_load(&shared->updates);
    double share = watched_share(profd, SECONDS);
    chunks = atomic_load(&shared->chunks) - chunks;
    bench_value("chunks_per_second", (double)chunks / SECONDS);
    bench_value("updates_per_second", (double)(atomic_load(&shared->updates) - updates) / SECONDS);
    if (!keeps_up(chunks))
        return false;
    bench_figure("profd's CPU, 1,000 children at 1 ms (stand-ins)", share, "%", 5);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_children SOCKET PID\n");
        return 2;
    }
    pid_t self = getpid();
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    for (int i = 0; i < CHILDREN; i++)
        start_child(i, argv[1], self);
    bool is_done = wait_for_all() && measure_rates((pid_t)atoi(argv[2]));
    if (atomic_load(&shared->started) < CHILDREN)
        fprintf(stderr, "only %d of %d children started\n", atomic_load(&shared->started),
                CHILDREN);
    for (int i = 0; i < CHILDREN; i++)
        kill(children[i], SIGKILL);
    return is_done ? 0 : 1;
}
