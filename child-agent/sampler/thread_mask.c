#include "child-agent/sampler/thread_mask.h"

#include <time.h>
#include <ucontext.h>

#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/signal_choice.h"
#include "child-agent/sampler/small_stacks.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/upcalls.h"

enum {
    /* A wall clock that has asked for a sample sends its signal at once. */
    REQUEST_POLLS = 200,
    REQUEST_POLL_NS = 50 * 1000,
    LAST_ORDINARY_SIGNAL = 31,
};

/* What is held open came with a mask that blocks many others (held_with). When MASK, which is the
 * kernel's, lacks one of those, the program has set it past the C library, and it is what it says.
 */
static void follow_raw_mask(struct thread_own_data *own, uint64_t mask)
{
    if ((mask & own->held_with) != own->held_with)
        own->held_open = 0;
}

/* A child of vfork looks at what is its parent's, and leaves it alone. */
static uint64_t held_open_now(struct thread_own_data *own)
{
    if (own->held_open == 0)
        return 0;
    struct thread_own_data now = *own;
    follow_raw_mask(&now, signal_bits_change_mask(SIG_BLOCK, 0));
    if (now.held_open != own->held_open && sampling_signal_is_own_process())
        own->held_open = now.held_open;
    return now.held_open;
}

/* The program has unblocked BITS, which are no mark of what is held open any more. */
static void note_unblocked(struct thread_own_data *own, uint64_t bits)
{
    if (own->held_open != 0 && sampling_signal_is_own_process())
        own->held_with &= ~bits;
}

/* HELD is held open while the kernel blocks OTHERS, of which it takes the ordinary ones only: it
 * has its own will with the rest. */
static void hold_open(struct thread_own_data *own, uint64_t held, uint64_t others)
{
    const uint64_t ordinary =
        (UINT64_C(1) << LAST_ORDINARY_SIGNAL) - 1 - signal_bit(SIGKILL) - signal_bit(SIGSTOP);
    own->held_open |= held;
    own->held_with = others & ordinary & ~own->held_open;
}

/* A request of the wall clock that is under way is signalled by the old number. */
static void await_request(const struct thread_registration *self)
{
    static const struct timespec pause = { .tv_nsec = REQUEST_POLL_NS };
    struct snapshot_copy *snapshot = atomic_load(&self->snapshot);
    for (int i = 0; snapshot != NULL && i < REQUEST_POLLS; i++) {
        if (atomic_load(&snapshot->state) != SNAPSHOT_REQUESTED)
            return;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
}

/* The thread is not sampled until the program unblocks the signal. */
static void yield_signal(struct thread_registration *self)
{
    atomic_store(&self->yields_signal, true);
    clock_sampling_follow_yield(self);
    self->own_.left_signal = sampling_signal_number();
}

static void take_signal_back(struct thread_registration *self)
{
    self->own_.left_signal = 0;
    atomic_store(&self->yields_signal, false);
    clock_sampling_follow_yield(self);
}

/* What our handler does not wait for: others end the event, and may be stopped. Until then it comes
 * to our handler, which is still there, and counts for nothing. */
static void await_left_signal(struct thread_registration *self)
{
    int number = self->own_.left_signal;
    self->own_.left_signal = 0;
    if (number != 0)
        clock_sampling_await_event(self, number);
}

/* Waits for all that may still come by the signal that was left. Not in our handler. */
static void await_last(struct thread_registration *self)
{
    await_left_signal(self);
    await_request(self);
}

void thread_mask_yield(void)
{
    if (thread_current == NULL)
        return;
    yield_signal(thread_current);
    await_last(thread_current);
}

/* --- Following the signal --- */

/* The thread's mask from MASK on. NUMBER, which is ours from here on, may be blocked with all
 * others; where it is shared and blocked among few, somebody meant it. */
static uint64_t settled_mask(struct thread_registration *self, int number, uint64_t mask)
{
    struct thread_own_data *own = &self->own_;
    follow_raw_mask(own, mask);
    mask |= own->held_open & ~signal_bit(number);
    own->held_open &= signal_bit(number);
    if ((mask & signal_bit(number)) == 0)
        return mask;
    const sigset_t set = signal_bits_set(mask);
    if (sampling_signal_is_shared() && !signal_set_is_general(&set)) {
        yield_signal(self);
        return mask;
    }
    hold_open(own, signal_bit(number), mask);
    return mask & ~signal_bit(number);
}

/* False when it was settled already. */
static bool follow_signal(struct thread_registration *self, int number)
{
    if (self->own_.signal_number == number)
        return false;
    self->own_.left_signal = self->own_.signal_number;
    self->own_.signal_number = number;
    clock_sampling_change_signal(self);
    return true;
}

void thread_mask_settle(void)
{
    struct thread_registration *self = thread_current;
    int number = sampling_signal_number();
    if (self == NULL)
        return;
    bool is_news = follow_signal(self, number);
    await_left_signal(self);
    if (!is_news)
        return;
    await_request(self);
    uint64_t before = signal_bits_change_mask(SIG_BLOCK, 0);
    uint64_t mask = settled_mask(self, number, before);
    await_left_signal(self); /* it may have yielded */
    if (mask != before)
        (void)signal_bits_change_mask(SIG_SETMASK, mask);
}

static uint64_t *mask_of(void *context)
{
    return (uint64_t *)&((ucontext_t *)context)->uc_sigmask;
}

void thread_mask_settle_in_handler(void *context)
{
    struct thread_registration *self = thread_current;
    int number = sampling_signal_number();
    if (follow_signal(self, number))
        *mask_of(context) = settled_mask(self, number, *mask_of(context));
}

/* What the thread inherited: a mask, and what is held open in it. */
void thread_mask_adopt(void)
{
    struct thread_registration *self = thread_current;
    int number = sampling_signal_number();
    self->own_.signal_number = number;
    follow_raw_mask(&self->own_, signal_bits_change_mask(SIG_BLOCK, 0));
    uint64_t before =
        signal_bits_change_mask(SIG_BLOCK, self->own_.held_open & ~signal_bit(number));
    bool is_held = (self->own_.held_open & signal_bit(number)) != 0;
    uint64_t mask = settled_mask(self, number, is_held ? before & ~signal_bit(number) : before);
    await_left_signal(self);
    if ((mask & signal_bit(number)) == 0)
        (void)signal_bits_change_mask(SIG_UNBLOCK, signal_bit(number));
}

void thread_mask_inherit(struct thread_own_data *own)
{
    if (thread_current == NULL)
        return;
    own->held_open = thread_current->own_.held_open;
    own->held_with = thread_current->own_.held_with;
}

/* A handler that blocks ours for lack of room was left by longjmp(). */
static void open_left_behind(struct thread_registration *self)
{
    uint64_t ours = sampling_signal_present();
    if (!small_stacks_exist() || atomic_load(&core.has_filter) ||
        atomic_load(&self->yields_signal) || (self->own_.held_open & ours) != 0)
        return;
    const sigset_t mask = signal_bits_set(signal_bits_change_mask(SIG_BLOCK, 0));
    if ((signal_bits_of(&mask) & ours) != 0 && !signal_set_is_general(&mask) &&
        !small_stacks_may_be_in_use())
        (void)signal_bits_change_mask(SIG_UNBLOCK, ours);
}

uint64_t thread_mask_close(void)
{
    if (thread_current == NULL)
        return 0;
    open_left_behind(thread_current);
    uint64_t held = held_open_now(&thread_current->own_);
    if (held != 0)
        (void)signal_bits_change_mask(SIG_BLOCK, held);
    return held;
}

void thread_mask_reopen(uint64_t closed)
{
    if (closed != 0)
        (void)signal_bits_change_mask(SIG_UNBLOCK, closed);
}

/* --- The program's own signals --- */

/* Signal NUMBER came although the thread had left it to the program, which had it blocked. Where
 * MASK lets it through, the program has unblocked it past the C library. */
static void follow_raw_unblock(struct thread_registration *self, int number, uint64_t mask)
{
    if (number == sampling_signal_number() && (mask & signal_bit(number)) == 0 &&
        atomic_load(&self->yields_signal))
        take_signal_back(self);
}

bool thread_mask_put_back(int number, siginfo_t *info, void *context)
{
    struct thread_registration *self = thread_current;
    if (self == NULL)
        return false;
    follow_raw_mask(&self->own_, *mask_of(context));
    follow_raw_unblock(self, number, *mask_of(context));
    if ((self->own_.held_open & signal_bit(number)) == 0)
        return false;
    if (atomic_load(&core.has_filter))
        return false; /* which may forbid to send it again: better early than never */
    sampling_signal_note_use(number);
    self->own_.held_open &= ~signal_bit(number);
    *mask_of(context) |= signal_bit(number);
    (void)signal_bits_change_mask(SIG_BLOCK, signal_bit(number));
    thread_mask_settle_in_handler(context);
    if (number == sampling_signal_number())
        yield_signal(self);
    sampling_signal_send_again(number, info);
    return true;
}

void thread_mask_use(const sigset_t *set)
{
    uint64_t used = set != NULL ? signal_bits_of(set) & sampling_signal_unused() : 0;
    if (thread_current != NULL)
        await_left_signal(thread_current);
    if (used == 0 || signal_set_is_general(set) || !sampling_signal_is_own_process())
        return;
    for (; used != 0; used &= used - 1)
        sampling_signal_note_use(__builtin_ctzll(used) + 1);
    thread_mask_settle();
}

/* --- The program's masks --- */

/* Blocks SET, all but the sampling signal, in which the program's eyes is blocked, too. */
static int block_other_signals(struct thread_own_data *own, int how, const sigset_t *set,
                               sigset_t *old_set)
{
    int number = sampling_signal_number();
    sigset_t others = *set;
    if (sampling_signal_install() == 0) /* else nobody would put back what comes in */
        sigdelset(&others, number);
    int error = real_pthread_sigmask(how, &others, old_set);
    if (error == 0)
        hold_open(own, signal_bits_of(set) & ~signal_bits_of(&others), signal_bits_of(&others));
    return error;
}

/* SET has the sampling signal in it, and where it means that it is shared. */
static int block_signals(struct thread_registration *self, int how, const sigset_t *set,
                         sigset_t *old_set)
{
    bool is_yielding = atomic_load(&self->yields_signal);
    if (!is_yielding && signal_set_is_general(set))
        return block_other_signals(&self->own_, how, set, old_set);
    if (!is_yielding) {
        upcall_end_dormancy();
        yield_signal(self);
        await_last(self);
        self->own_.held_open &= ~signal_bit(sampling_signal_number());
    }
    return real_pthread_sigmask(how, set, old_set);
}

/* The sampling signal is not blocked afterwards. What came in before that is for the program now,
 * so the belief goes first. */
static int unblock_signals(struct thread_registration *self, int how, const sigset_t *set,
                           sigset_t *old_set)
{
    uint64_t held_before = self->own_.held_open;
    self->own_.held_open &= ~signal_bit(sampling_signal_number());
    int error = real_pthread_sigmask(how, set, old_set);
    if (error != 0)
        self->own_.held_open = held_before;
    else if (atomic_load(&self->yields_signal))
        take_signal_back(self);
    return error;
}

static int change_signal_mask(struct thread_registration *self, int how, const sigset_t *set,
                              sigset_t *old_set)
{
    bool is_member = sigismember(set, sampling_signal_number()) == 1;
    if (is_member && how != SIG_UNBLOCK)
        return block_signals(self, how, set, old_set);
    if (is_member || how == SIG_SETMASK)
        return unblock_signals(self, how, set, old_set);
    return real_pthread_sigmask(how, set, old_set);
}

/* Whether SET is about a signal that is, or may become, the sampling signal. */
static bool concerns_us(const struct thread_registration *self, int how, const sigset_t *set)
{
    int number = sampling_signal_number();
    bool is_plain = self->own_.held_open == 0 && self->own_.signal_number == number &&
                    self->own_.left_signal == 0 &&
                    (signal_bits_of(set) & sampling_signal_present()) == 0 &&
                    (how != SIG_SETMASK || !atomic_load(&self->yields_signal));
    return !is_plain && sampling_signal_is_own_process();
}

/* In a handler that blocks ours for lack of room: ours stays blocked, and the program sees none of
 * that. */
static int change_beside_ours(int how, const sigset_t *set, sigset_t *old_set, uint64_t ours)
{
    uint64_t wanted = set != NULL ? signal_bits_of(set) : 0;
    const sigset_t changed = signal_bits_set(how == SIG_SETMASK ? wanted | ours : wanted & ~ours);
    int error = real_pthread_sigmask(how, set != NULL ? &changed : NULL, old_set);
    if (error == 0 && old_set != NULL)
        *old_set = signal_bits_set(signal_bits_of(old_set) & ~ours);
    return error;
}

/* What a handler blocks of ours for lack of room, if the calling thread is in one. */
static uint64_t blocked_for_room(const struct thread_registration *self)
{
    if (atomic_load(&core.has_filter) || atomic_load(&self->yields_signal) ||
        !small_stacks_may_be_in_use())
        return 0;
    return signal_bits_change_mask(SIG_BLOCK, 0) & sampling_signal_present() &
           ~self->own_.held_open;
}

int thread_mask_change(int how, const sigset_t *set, sigset_t *old_set)
{
    struct thread_registration *self = thread_current;
    if (!core.is_enabled || self == NULL)
        return real_pthread_sigmask(how, set, old_set);
    uint64_t ours = blocked_for_room(self);
    if (ours != 0)
        return change_beside_ours(how, set, old_set, ours);
    uint64_t held_before = held_open_now(&self->own_);
    int error;
    if (set != NULL && concerns_us(self, how, set)) {
        thread_mask_settle();
        if (how != SIG_UNBLOCK)
            thread_mask_use(set);
        error = change_signal_mask(self, how, set, old_set);
    } else {
        error = real_pthread_sigmask(how, set, old_set);
    }
    if (error == 0 && set != NULL && how == SIG_UNBLOCK) {
        note_unblocked(&self->own_, signal_bits_of(set));
        open_left_behind(self);
    }
    if (error == 0 && old_set != NULL)
        signal_bits_add(old_set, held_before);
    return error;
}

/* --- Masks set by the number of the call --- */

static bool follows_raw_masks(void)
{
    return core.is_enabled && !atomic_load(&core.has_filter) && thread_current != NULL;
}

void thread_mask_before_raw(struct raw_mask_change *change)
{
    change->held_open = follows_raw_masks() ? held_open_now(&thread_current->own_) : 0;
}

/* The kernel's mask is as the program asked: the sampling signal may be blocked in it, which it is
 * to be in the program's eyes only, or open, though it was held so. */
static void settle_raw_mask(struct thread_registration *self, int how, uint64_t set)
{
    int number = sampling_signal_number();
    uint64_t before = signal_bits_change_mask(SIG_BLOCK, 0);
    bool is_member = (set & signal_bit(number)) != 0;
    bool is_unblocked = how == SIG_SETMASK ? !is_member : how == SIG_UNBLOCK && is_member;
    if (is_unblocked)
        self->own_.held_open &= ~signal_bit(number);
    if (is_unblocked && atomic_load(&self->yields_signal))
        take_signal_back(self);
    uint64_t mask = settled_mask(self, number, before);
    await_left_signal(self); /* it may have yielded */
    if ((mask & ~before) != 0)
        (void)signal_bits_change_mask(SIG_BLOCK, mask & ~before);
    if ((before & ~mask) != 0)
        (void)signal_bits_change_mask(SIG_UNBLOCK, before & ~mask);
}

void thread_mask_after_raw(const struct raw_mask_change *change, int how, const uint64_t *set,
                           uint64_t *old_set)
{
    if (!follows_raw_masks())
        return;
    const sigset_t wanted = signal_bits_set(set != NULL ? *set : 0);
    if (how == SIG_UNBLOCK)
        note_unblocked(&thread_current->own_, signal_bits_of(&wanted));
    if (set != NULL && concerns_us(thread_current, how, &wanted) &&
        sampling_signal_install() == 0) {
        thread_mask_settle();
        if (how != SIG_UNBLOCK)
            thread_mask_use(&wanted);
        settle_raw_mask(thread_current, how, *set);
    }
    if (old_set != NULL)
        *old_set |= change->held_open;
}
