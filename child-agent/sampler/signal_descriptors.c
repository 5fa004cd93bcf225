#include "child-agent/sampler/signal_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/guest/signal_bits.h"

/* A program reads by one or two. The oldest gives way to another one. */
enum { MOST_DESCRIPTORS = 16, PATH_BYTES = 64, TEXT_BYTES = 512, HEXADECIMAL = 16 };

struct signal_descriptor {
    int fd;
    uint64_t wanted;    /* by the program; 0: there is none */
    uint64_t installed; /* what the kernel has of that */
};

static struct {
    signalfd_function *real;
    struct signal_descriptor all[MOST_DESCRIPTORS];
    unsigned next;
} descriptors;

static int call_signalfd(int fd, uint64_t bits, int flags)
{
    const sigset_t set = signal_bits_set(bits);
    return descriptors.real(fd, &set, flags);
}

/* The system calls themselves: the functions are points where a thread may be cancelled, and the
 * caller holds a lock. */
static ssize_t read_description(int fd, char out[TEXT_BYTES])
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fd);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    ssize_t got = syscall(SYS_read, file, out, TEXT_BYTES - 1);
    (void)syscall(SYS_close, file);
    return got;
}

/* The program may have made the number another descriptor by dup2(). Where the kernel does not tell
 * it is taken for the one that it was. */
static bool is_as_installed(const struct signal_descriptor *descriptor)
{
    static const char set_line[] = "\nsigmask:";
    char text[TEXT_BYTES];
    ssize_t got = read_description(descriptor->fd, text);
    if (got < 0)
        return true;
    text[got] = '\0';
    const char *set = strstr(text, set_line);
    return set != NULL && strtoull(set + strlen(set_line), NULL, HEXADECIMAL) ==
                              signal_bits_blockable(descriptor->installed);
}

static void forget_number(int fd)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (descriptors.all[i].fd == fd)
            descriptors.all[i].wanted = 0;
}

static struct signal_descriptor *free_slot(void)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (descriptors.all[i].wanted == 0)
            return &descriptors.all[i];
    return &descriptors.all[descriptors.next++ % MOST_DESCRIPTORS];
}

int signal_descriptors_make(signalfd_function *real, int fd, const sigset_t *set, int flags,
                            const struct left_out_signals *left_out)
{
    uint64_t wanted = signal_bits_of(set), installed = wanted & ~left_out->now;
    descriptors.real = real;
    int made = call_signalfd(fd, installed, flags);
    if (made < 0)
        return made;
    forget_number(made);
    if ((wanted & left_out->ever) != 0)
        *free_slot() = (struct signal_descriptor){ made, wanted, installed };
    return made;
}

static void leave_out(struct signal_descriptor *descriptor, uint64_t bits)
{
    uint64_t changed = descriptor->wanted & ~bits;
    if (descriptor->wanted == 0 || changed == descriptor->installed)
        return;
    if (!is_as_installed(descriptor) || call_signalfd(descriptor->fd, changed, 0) < 0)
        descriptor->wanted = 0;
    descriptor->installed = changed;
}

void signal_descriptors_change(uint64_t left_out)
{
    int saved_errno = errno;
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        leave_out(&descriptors.all[i], left_out);
    errno = saved_errno;
}

void signal_descriptors_forget(void)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        descriptors.all[i].wanted = 0;
}
