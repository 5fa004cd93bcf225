#include "ipc/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/path_join.h"
#include "common/system_id.h"
#include "ipc/ledger_memfd.h"
#include "ipc/ledger_reference.h"
#include "ipc/protocol_version.h"

_Static_assert(sizeof(((struct lease_ledger_header *)0)->boot) >= BOOT_ID_BYTES, "it fits");

static int make_path(const char *socket_path, char out[LEDGER_FILE_PATH_BYTES])
{
    return path_join(out, LEDGER_FILE_PATH_BYTES, socket_path, LEDGER_FILE_SUFFIX);
}

static int check_owner(int fd)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EPROTO;
    return status.st_uid == 0 || status.st_uid == geteuid() ? 0 : -EPERM;
}

/* Opens the ledger that the file at PATH is, or names. Returns a descriptor; or errors of open,
 * check_owner() and ledger_reference_follow(). */
static int open_ledger(const char *path)
{
    int held_fd = -1;

    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int error = check_owner(fd);
    if (error == 0)
        error = ledger_reference_follow(fd, &held_fd);
    if (error == 0 && held_fd < 0)
        return fd; /* it is the ledger itself, if any */
    close(fd);
    return error == 0 ? held_fd : error;
}

/* One byte, which nobody else locks. */
static struct flock claim_lock(void)
{
    return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
}

int ledger_file_claim(struct lease_ledger *ledger, int fd)
{
    const struct flock lock = claim_lock();
    atomic_store(&ledger->header->profd_pid, getpid());
    return fcntl(fd, F_SETLK, &lock) < 0 ? -errno : 0;
}

/* The kernel tells a process id as it is in the namespace of who asks. */
static pid_t claimant_pid(int fd)
{
    struct flock lock = claim_lock();
    if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid;
}

int ledger_file_open(const char *socket_path, uint32_t most_units, struct lease_ledger *out)
{
    char path[LEDGER_FILE_PATH_BYTES];

    *out = (struct lease_ledger){ 0 };
    int error = make_path(socket_path, path);
    if (error < 0)
        return error;
    int fd = open_ledger(path);
    if (fd < 0)
        return fd;
    error = lease_ledger_open(fd, most_units, out);
    out->seen_profd_pid = claimant_pid(fd);
    close(fd);
    if (error == 0 && lease_ledger_has_ended(out)) {
        lease_ledger_close(out);
        error = -ESTALE;
    }
    return error;
}

/* Whether the process ids in LEDGER mean to us what they meant to those who wrote them. */
static bool is_of_this_system(const struct lease_ledger *ledger, const char *boot)
{
    const struct lease_ledger_header *header = ledger->header;

    return strncmp(header->boot, boot, sizeof(header->boot)) == 0 &&
           header->pid_namespace == pid_namespace();
}

/* For profd is here again. Whether it came in time; agents that have given up do not come back to
 * the ledger of one that did not. */
static bool end_waiting(const struct lease_ledger *ledger)
{
    struct lease_ledger_header *header = ledger->header;

    if (lease_ledger_has_ended(ledger))
        atomic_store(&header->is_over, 1);
    else
        atomic_store(&header->left_until_ns, 0);
    return atomic_load(&header->is_over) == 0;
}

static enum ledger_past judge_past(const struct lease_ledger *ledger, const char *boot)
{
    if (!is_of_this_system(ledger, boot))
        return LEDGER_PAST_ELSEWHERE;
    return end_waiting(ledger) ? LEDGER_PAST_ADOPTED : LEDGER_PAST_OVER;
}

/* Why there is nothing to adopt, if ERROR, of opening, says so. Returns 0 or ERROR. */
static int judge_unopened(int error, enum ledger_past *past)
{
    switch (error) {
    case -ENOENT:
        *past = LEDGER_PAST_NONE;
        return 0;
    case -EPROTO:
        *past = LEDGER_PAST_DAMAGED;
        return 0;
    case -ESTALE:
        *past = LEDGER_PAST_LOST;
        return 0;
    default:
        return error;
    }
}

/* Nothing is mapped unless *PAST says that it was adopted. */
static int adopt_ledger(const char *path, const char *boot, struct lease_ledger *out, int *out_fd,
                        enum ledger_past *past)
{
    int fd = open_ledger(path);
    if (fd < 0)
        return judge_unopened(fd, past);
    int error = lease_ledger_adopt(fd, out);
    *past = error == 0 ? judge_past(out, boot) : LEDGER_PAST_DAMAGED;
    if (*past == LEDGER_PAST_ADOPTED) {
        *out_fd = fd;
        return 0;
    }
    lease_ledger_close(out);
    close(fd);
    return error == -EPROTO ? 0 : error;
}

/* Something empty for a ledger at PLACE. */
static int make_place(const char *path, enum ledger_place place)
{
    if (place == LEDGER_SEALED)
        return ledger_memfd_create();
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static int make_ledger(const char *path, const char *boot, uint64_t limit_bytes,
                       enum ledger_place place, struct lease_ledger *out, int *out_fd)
{
    uint64_t identity;

    if (getrandom(&identity, sizeof(identity), 0) != (ssize_t)sizeof(identity))
        return -EIO;
    if (unlink(path) < 0 && errno != ENOENT)
        return -errno;
    int fd = make_place(path, place);
    if (fd < 0)
        return fd;
    int error = lease_ledger_create(fd, identity, limit_bytes, out);
    if (error == 0 && place == LEDGER_SEALED)
        error = ledger_memfd_seal(fd);
    if (error < 0) {
        lease_ledger_close(out);
        close(fd);
        (void)unlink(path);
        return error;
    }
    strcpy(out->header->boot, boot); /* it fits: both have the same room */
    out->header->pid_namespace = pid_namespace();
    *out_fd = fd;
    return 0;
}

int ledger_file_make(const char *socket_path, uint64_t limit_bytes, enum ledger_place place,
                     struct lease_ledger *out, int *fd, enum ledger_past *past)
{
    char path[LEDGER_FILE_PATH_BYTES], boot[BOOT_ID_BYTES];

    *out = (struct lease_ledger){ 0 };
    *past = LEDGER_PAST_NONE;
    int error = make_path(socket_path, path);
    if (error == 0)
        error = boot_id_read(boot);
    if (error == 0)
        error = adopt_ledger(path, boot, out, fd, past);
    if (error == 0)
        error = *past == LEDGER_PAST_ADOPTED ? lease_ledger_set_limit(out, limit_bytes)
                                             : make_ledger(path, boot, limit_bytes, place, out, fd);
    if (error == 0)
        atomic_store(&out->header->protocol_minor, PROTOCOL_MINOR);
    return error;
}

int ledger_file_refer(const char *socket_path, pid_t holder, int fd)
{
    char path[LEDGER_FILE_PATH_BYTES];
    int error = make_path(socket_path, path);

    return error == 0 ? ledger_reference_write(path, holder, fd) : error;
}

uint32_t ledger_file_protocol_minor(const char *socket_path)
{
    struct lease_ledger ledger;

    if (ledger_file_open(socket_path, LEASE_LEDGER_MIN_UNITS, &ledger) < 0)
        return 0;
    uint32_t minor = atomic_load(&ledger.header->protocol_minor);
    lease_ledger_close(&ledger);
    return minor;
}

void ledger_file_leave(struct lease_ledger *ledger, uint64_t until_ns)
{
    if (ledger->header != NULL)
        atomic_store(&ledger->header->left_until_ns, until_ns);
    lease_ledger_close(ledger);
}

int ledger_file_remove_over(const char *socket_path)
{
    char path[LEDGER_FILE_PATH_BYTES];
    struct lease_ledger ledger;
    int error = ledger_file_open(socket_path, LEASE_LEDGER_MIN_UNITS, &ledger);

    if (error == 0) {
        lease_ledger_close(&ledger);
        return -EBUSY;
    }
    if (error != -ESTALE)
        return error;
    error = make_path(socket_path, path);
    if (error == 0 && unlink(path) < 0)
        error = -errno;
    return error;
}

void ledger_file_end(const char *socket_path, struct lease_ledger *ledger)
{
    char path[LEDGER_FILE_PATH_BYTES];

    if (ledger->header == NULL)
        return;
    atomic_store(&ledger->header->is_over, 1);
    lease_ledger_close(ledger);
    if (make_path(socket_path, path) == 0)
        (void)unlink(path); /* it may be gone with its folder */
}
