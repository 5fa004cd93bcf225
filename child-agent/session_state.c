/* The session that is on, and what of it programs may record. */
#include "child-agent/agent_lease.h"
#include "child-agent/core.h"
#include "child-agent/recording.h"
#include "child-agent/recording_word.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session_inside.h"
#include "common/apart.h"
#include "common/features.h"
#include "profd.h"

LARGE_EARLY struct session_now session_now;

bool session_is_active(void)
{
    return session_now.settings.generation != 0 && core_local.has_arena;
}

bool session_is_own(void)
{
    return session_is_active() && session_now.settings.generation == SESSION_OWN_GENERATION;
}

uint32_t session_generation(void)
{
    return session_now.settings.generation;
}

struct chunk_manager *session_chunk_manager(void)
{
    return recording_manager;
}

const struct session_settings *session_get_settings(void)
{
    return session_is_active() ? &session_now.settings : NULL;
}

bool session_has_records(void)
{
    return core_local.has_arena && recording_manager != NULL;
}

const struct session_settings *session_last_settings(void)
{
    return &session_now.settings;
}

uint32_t session_recording_bits(uint64_t features, bool is_paused)
{
    uint32_t bits = 0;
    if ((features & FEATURE_MARKERS) && !is_paused)
        bits |= PROFD_RECORDING_MARKERS;
    /* Label stacks are kept through a pause: else one that is pushed before and popped meanwhile
     * would be there for the rest of the session. */
    if (features & FEATURE_LABELS)
        bits |= PROFD_RECORDING_LABELS;
    /* Likewise: what is added during a pause stays added. */
    if (features & FEATURE_COUNTERS)
        bits |= PROFD_RECORDING_COUNTERS;
    return bits;
}

void session_open_recording(bool is_paused)
{
    recording_word_set(session_recording_bits(session_now.settings.features, is_paused));
}

struct session_word session_read_word(void)
{
    struct session_word word;
    if (!agent_lease_read_session(&word) && !agent_lease_has_ended())
        word.generation = session_now.settings.generation;
    return word;
}

void session_begin_messages(void)
{
    if (session_is_active() && core_local.recording_generation != 0)
        session_open_recording(session_now.settings.is_paused);
}

bool session_follow_word(void)
{
    if (!session_is_active())
        return false;
    if (sampler_has_thread() || session_is_own())
        return true; /* it is told by messages, or by the program */
    struct session_word word = session_read_word();
    bool is_on = word.generation == session_now.settings.generation;
    if (is_on)
        session_open_recording(word.is_paused);
    else
        recording_word_set(0);
    return is_on && !word.is_paused && !word.is_sampling_paused;
}
