#include "child-agent/recording_word.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "common/apart.h"
#include "common/time_units.h"
#include "profd.h"

enum {
    MOST_FOLLOWERS = 64,
    UNFOLLOW_POLL_NS = 100 * NS_PER_US,
    UNFOLLOW_POLLS = 10 * 1000, /* a child made past the C library has nobody who would finish */
};

volatile uint32_t profd_recording;

static _Atomic uint32_t session_bits, group_bits; /* that it consists of */

static LARGE_APART _Atomic(volatile uint32_t *) followers[MOST_FOLLOWERS];
static _Atomic uint32_t follower_end;  /* no follower is at or after it */
static _Atomic uint32_t setting_count; /* those who look at the followers at this moment */

/* Until all say what our word says: it may change on the way. */
static void tell_followers(void)
{
    uint32_t told;
    atomic_fetch_add(&setting_count, 1);
    do {
        told = profd_recording;
        for (uint32_t i = 0; i < atomic_load(&follower_end); i++) {
            volatile uint32_t *word = atomic_load(&followers[i]);
            if (word != NULL)
                *word = told;
        }
        atomic_thread_fence(memory_order_seq_cst);
    } while (told != profd_recording);
    atomic_fetch_sub(&setting_count, 1);
}

/* Until it says what both of its parts say: one may change while the other is set. */
static void set_word(void)
{
    bool has_changed = false;
    uint32_t wanted;
    do {
        wanted = atomic_load(&session_bits) | atomic_load(&group_bits);
        has_changed |= profd_recording != wanted;
        profd_recording = wanted;
        atomic_thread_fence(memory_order_seq_cst);
    } while (wanted != (atomic_load(&session_bits) | atomic_load(&group_bits)));
    if (has_changed)
        tell_followers();
}

void recording_word_set(uint32_t bits)
{
    atomic_store(&session_bits, bits);
    set_word();
}

void recording_word_set_groups(bool is_on)
{
    atomic_store(&group_bits, is_on ? PROFD_RECORDING_GROUPS : 0);
    set_word();
}

static void raise_follower_end(uint32_t end)
{
    uint32_t before = atomic_load(&follower_end);
    while (before < end && !atomic_compare_exchange_weak(&follower_end, &before, end))
        ;
}

int recording_word_follow(volatile uint32_t *word)
{
    if (word == &profd_recording)
        return 0; /* of a program that exports it: they are one */
    for (uint32_t i = 0; i < MOST_FOLLOWERS; i++) {
        volatile uint32_t *nobody = NULL;
        if (!atomic_compare_exchange_strong(&followers[i], &nobody, word))
            continue;
        raise_follower_end(i + 1);
        tell_followers();
        return 0;
    }
    return -ENOSPC;
}

/* Once nobody new can see WORD: waits for those who saw it. */
static void wait_for_setters(void)
{
    static const struct timespec pause = { .tv_nsec = UNFOLLOW_POLL_NS };
    for (int i = 0; i < UNFOLLOW_POLLS && atomic_load(&setting_count) != 0; i++)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

void recording_word_unfollow(volatile uint32_t *word)
{
    bool followed = false;
    for (uint32_t i = 0; i < MOST_FOLLOWERS; i++) {
        volatile uint32_t *there = word;
        followed |= atomic_compare_exchange_strong(&followers[i], &there, NULL);
    }
    if (followed)
        wait_for_setters();
}

void recording_word_after_fork_child(void)
{
    atomic_store(&setting_count, 0);
}
