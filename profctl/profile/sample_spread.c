#include "profctl/profile/sample_spread.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "common/time_units.h"

#define MAX_SECONDS 1e12

/* Samples of one second. */
struct second {
    size_t begin, end;  /* of them */
    double start_ns;    /* of the second */
    double ticks_ns;    /* what they stand for by themselves … */
    double leftover_ns; /* … and what else was used meanwhile */
};

struct weight_pass {
    struct spread_sample *samples;
    double tick_ns;
    struct second now, before; /* before: the last one with samples; empty: none */
    double previous_ns;        /* when the sample before that has CPU time was taken */
    double not_sampled_ns;
};

double sample_spread_tick_ns(double own_ns, double asked_ns)
{
    if (own_ns > 0)
        return own_ns;
    return asked_ns > SAMPLE_SPREAD_KERNEL_TICK_NS ? asked_ns : SAMPLE_SPREAD_KERNEL_TICK_NS;
}

void sample_spread_begin(struct sample_spread *spread, double tick_ns)
{
    spread->tick_ns = tick_ns;
    spread->samples.count = 0;
}

int sample_spread_add(struct sample_spread *spread, const struct spread_sample *sample)
{
    struct spread_sample *place = mapped_array_push(&spread->samples, sizeof(*place));

    if (place == NULL)
        return -ENOMEM;
    *place = *sample;
    return 0;
}

void sample_spread_free(struct sample_spread *spread)
{
    mapped_array_free(&spread->samples);
}

static double clamp_value(double value, double limit)
{
    return value < limit ? value : limit;
}

static double later_of(double a, double b)
{
    return a > b ? a : b;
}

/* When the second of TIME_NS began. What is no time of any profile is in the first. */
static double second_of(double time_ns)
{
    double seconds = time_ns / NS_PER_S;

    if (!(seconds > -MAX_SECONDS && seconds < MAX_SECONDS))
        return 0;
    int64_t whole = (int64_t)seconds;
    return (double)(whole - ((double)whole > seconds)) * NS_PER_S;
}

static double room_between(double begin_ns, double end_ns)
{
    return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Weighs the samples of SECOND, which has all that it gets. Samples of less than a ns are as good
 * as none. */
static void end_second(struct weight_pass *pass, const struct second *second)
{
    if (second->ticks_ns < 1) {
        pass->not_sampled_ns += second->leftover_ns;
        return;
    }
    double factor = 1 + second->leftover_ns / second->ticks_ns;
    for (size_t i = second->begin; i < second->end; i++)
        pass->samples[i].cpu_ns *= factor;
}

static void begin_second(struct weight_pass *pass, size_t first, double start_ns)
{
    end_second(pass, &pass->before);
    pass->before = pass->now;
    pass->now = (struct second){ .begin = first, .end = first, .start_ns = start_ns };
}

/* Gives LEFTOVER_NS, what the sample at TIME_NS says beyond its own tick, to its second, then to
 * the gap before that, which has no samples, then to the second of the sample before. What is left
 * then was used at no time: a clock has jumped. */
static void spread_leftover(struct weight_pass *pass, double time_ns, double leftover_ns)
{
    struct second *now = &pass->now, *before = &pass->before;
    double previous_ns = pass->previous_ns, end_ns = before->start_ns + NS_PER_S;
    double earlier_ns = 0;

    double here_ns =
        clamp_value(leftover_ns, room_between(later_of(now->start_ns, previous_ns), time_ns));
    now->leftover_ns += here_ns;
    leftover_ns -= here_ns;
    if (before->end > before->begin && previous_ns < now->start_ns) {
        double beyond_gap_ns = leftover_ns - room_between(end_ns, now->start_ns);
        if (beyond_gap_ns > 0)
            earlier_ns = clamp_value(beyond_gap_ns, room_between(previous_ns, end_ns));
        before->leftover_ns += earlier_ns;
    }
    pass->not_sampled_ns += leftover_ns - earlier_ns;
}

static void take_sample(struct weight_pass *pass, struct spread_sample *sample)
{
    double said_ns = sample->cpu_ns;

    pass->now.end++;
    sample->cpu_ns =
        sample->stack != SAMPLE_SPREAD_NO_STACK ? clamp_value(said_ns, pass->tick_ns) : 0;
    pass->now.ticks_ns += sample->cpu_ns;
    if (sample->stack == SAMPLE_SPREAD_NO_STACK)
        pass->not_sampled_ns += said_ns;
    else
        spread_leftover(pass, sample->time_ns, said_ns - sample->cpu_ns);
    if (said_ns > 0)
        pass->previous_ns = sample->time_ns;
}

double sample_spread_weigh(struct sample_spread *spread)
{
    struct weight_pass pass = { .samples = spread->samples.items,
                                .tick_ns = spread->tick_ns,
                                .previous_ns = -INFINITY };

    for (size_t i = 0; i < spread->samples.count; i++) {
        struct spread_sample *sample = &pass.samples[i];
        double start_ns = second_of(sample->time_ns);
        if (i == 0 || start_ns != pass.now.start_ns)
            begin_second(&pass, i, start_ns);
        take_sample(&pass, sample);
    }
    end_second(&pass, &pass.before);
    end_second(&pass, &pass.now);
    return pass.not_sampled_ns;
}
