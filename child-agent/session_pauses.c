/* Pauses of the session, and of sampling alone, as the profile tells them. */
#include "child-agent/allocations/allocations.h"
#include "child-agent/core.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session_inside.h"

void session_describe_pauses(const struct session_settings *settings)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (settings->is_paused)
        (void)dictionary_put_pause(&core.dictionary, now_ns);
    if (settings->is_sampling_paused)
        (void)dictionary_put_sampling_pause(&core.dictionary, now_ns);
}

void session_end_pauses(const struct session_settings *settings)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (settings->is_paused)
        (void)dictionary_put_resume(&core.dictionary, now_ns);
    if (settings->is_sampling_paused)
        (void)dictionary_put_sampling_resume(&core.dictionary, now_ns);
}

static void pause_sampler(void)
{
    sampler_set_paused(session_now.settings.is_paused || session_now.settings.is_sampling_paused);
}

void session_pause(void)
{
    if (!session_is_active() || session_now.settings.is_paused)
        return;
    session_now.settings.is_paused = true;
    session_open_recording(session_now.settings.is_paused);
    pause_sampler();
    allocations_set_paused(true);
    (void)dictionary_put_pause(&core.dictionary, clock_monotonic_ns()); /* counted when full */
}

void session_resume(void)
{
    if (!session_is_active() || !session_now.settings.is_paused)
        return;
    session_now.settings.is_paused = false;
    (void)dictionary_put_resume(&core.dictionary, clock_monotonic_ns()); /* counted when full */
    pause_sampler();
    allocations_set_paused(false);
    session_open_recording(session_now.settings.is_paused);
}

static void set_sampling_paused(bool is_paused, const char *text)
{
    if (!session_is_active() || session_now.settings.is_sampling_paused == is_paused)
        return;
    session_now.settings.is_sampling_paused = is_paused;
    pause_sampler();
    (void)(is_paused ? dictionary_put_sampling_pause
                     : dictionary_put_sampling_resume)(&core.dictionary, clock_monotonic_ns());
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(), text); /* counted when full */
}

void session_pause_sampling(void)
{
    set_sampling_paused(true, "sampling is paused");
}

void session_resume_sampling(void)
{
    set_sampling_paused(false, "sampling resumed");
}
