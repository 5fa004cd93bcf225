#include "child-agent/sampler/signal_descriptors.h"

#include <errno.h>
#include <stddef.h>

#include "child-agent/guest/signal_bits.h"

/* A program reads by one or two. The oldest gives way to another one. */
enum { MOST_DESCRIPTORS = 16 };

struct signal_descriptor {
    int fd;
    uint64_t wanted; /* by the program; 0: there is none */
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

static struct signal_descriptor *descriptor_slot(int fd)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (descriptors.all[i].wanted != 0 && descriptors.all[i].fd == fd)
            return &descriptors.all[i];
    return &descriptors.all[descriptors.next++ % MOST_DESCRIPTORS];
}

int signal_descriptors_make(signalfd_function *real, int fd, const sigset_t *set, int flags,
                            uint64_t left_out)
{
    uint64_t wanted = signal_bits_of(set);
    descriptors.real = real;
    int made = call_signalfd(fd, wanted & ~left_out, flags);
    if (made >= 0)
        *descriptor_slot(made) = (struct signal_descriptor){ made, wanted };
    return made;
}

/* A number that is not of such a descriptor any more is refused. */
void signal_descriptors_change(uint64_t left_out)
{
    int saved_errno = errno;
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++) {
        struct signal_descriptor *descriptor = &descriptors.all[i];
        if (descriptor->wanted != 0 &&
            call_signalfd(descriptor->fd, descriptor->wanted & ~left_out, 0) < 0)
            descriptor->wanted = 0;
    }
    errno = saved_errno;
}

void signal_descriptors_forget(void)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        descriptors.all[i].wanted = 0;
}
