#include "child-agent/guest/brief_descriptor.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child-agent/guest/descriptor.h"
#include "common/pidfd.h"

enum { MOST_NOTED = 16 };

enum note_state {
    NOTE_FREE = 0,
    NOTE_IN_WORK,
    NOTE_OPEN,
    NOTE_CLOSED, /* but maybe open in a copy: the kernel copies descriptors before memory */
};

static struct {
    _Atomic(enum note_state) state;
    /* No other file is taken for it; or at most one that the program has of the same process, at
     * the same number, which is a high one. */
    bool is_unmistakable;
    struct descriptor_identity identity;
} notes[MOST_NOTED];

/* A place for a note, which is the caller's; -1: there is none. Those that were closed last are
 * kept longest. */
static int take_place(void)
{
    static _Atomic unsigned turn;
    unsigned first = atomic_fetch_add(&turn, 1);
    for (unsigned i = 0; i < MOST_NOTED; i++) {
        unsigned place = (first + i) % MOST_NOTED;
        enum note_state state = atomic_load(&notes[place].state);
        if ((state == NOTE_FREE || state == NOTE_CLOSED) &&
            atomic_compare_exchange_strong(&notes[place].state, &state, NOTE_IN_WORK))
            return (int)place;
    }
    return -1;
}

struct brief_descriptor brief_descriptor_note(int fd)
{
    struct stat status;
    int place = fstat(fd, &status) == 0 ? take_place() : -1;
    if (place >= 0) {
        notes[place].identity = (struct descriptor_identity){ fd, status.st_dev, status.st_ino };
        notes[place].is_unmistakable = S_ISSOCK(status.st_mode) || pidfd_identity(fd) != 0;
        atomic_store(&notes[place].state, NOTE_OPEN);
    }
    return (struct brief_descriptor){ fd, place };
}

void brief_descriptor_forget(const struct brief_descriptor *noted)
{
    if (noted->place >= 0)
        atomic_store(&notes[noted->place].state, NOTE_FREE);
}

void brief_descriptor_close(const struct brief_descriptor *noted)
{
    close(noted->fd);
    if (noted->place >= 0)
        atomic_store(&notes[noted->place].state,
                     notes[noted->place].is_unmistakable ? NOTE_CLOSED : NOTE_FREE);
}

void brief_descriptor_after_fork_child(void)
{
    for (int place = 0; place < MOST_NOTED; place++) {
        enum note_state state = atomic_load(&notes[place].state);
        if (state == NOTE_OPEN || state == NOTE_CLOSED)
            descriptor_close_here(&notes[place].identity);
        atomic_store(&notes[place].state, NOTE_FREE);
    }
}
