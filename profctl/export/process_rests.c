#include "profctl/export/process_rests.h"

#include <errno.h>
#include <math.h>

#include "common/time_units.h"

/* A process as of the last range. */
struct known_clock {
    double pid;
    int64_t end_ns;       /* of the process; REST_NOT_ENDED: it lived */
    int64_t accounted_ns; /* of its clock: told, or never to be told; negative: not known */
};

/* The images of one process, the first program first. */
struct image_chain {
    struct rest_image *images;
    size_t count;
};

void process_rests_free(struct process_rests *rests)
{
    mapped_array_free(&rests->known);
    mapped_array_free(&rests->next);
}

/* --- What a profile says --- */

static int64_t time_of(double ms, int64_t otherwise)
{
    return fabs(ms) < (double)INT64_MAX / NS_PER_MS / 4 ? llround(ms * NS_PER_MS) : otherwise;
}

struct rest_image rest_image_of(const struct process_log *log, int64_t reference_ns)
{
    int64_t end_ns = time_of(log->end_ms, REST_NOT_ENDED);

    return (struct rest_image){
        .pid = log->pid,
        .later_images = log->later_images,
        .goes_on = process_log_goes_on(log),
        .end_ns = end_ns != REST_NOT_ENDED ? reference_ns + end_ns : REST_NOT_ENDED,
        .charged_ns = time_of(process_log_charged_ms(log), -1),
        .before_ns = time_of(log->cpu_before_ms, -1),
    };
}

static bool is_before(const void *a, const void *b)
{
    const struct rest_image *left = a, *right = b;

    return left->pid < right->pid ||
           (left->pid == right->pid && left->later_images > right->later_images);
}

/* The process whose first program is at INDEX. */
static struct image_chain chain_at(struct mapped_array *images, size_t index)
{
    struct rest_image *all = images->items;
    struct image_chain chain = { all + index, 1 };

    while (index + chain.count < images->count && all[index + chain.count - 1].goes_on &&
           all[index + chain.count].pid == all[index].pid)
        chain.count++;
    return chain;
}

static int64_t end_of_chain(const struct image_chain *chain)
{
    const struct rest_image *last = &chain->images[chain->count - 1];

    return last->goes_on ? REST_NOT_ENDED : last->end_ns;
}

/* --- What is known --- */

/* What was known in another session, or before ranges that were lost, may be of another process. */
static bool is_continued(const struct process_rests *rests, const struct rests_range *range)
{
    return rests->covered_ns == range->from_ns && rests->session_ns == range->session_ns;
}

/* Another process may have had the pid: one that ended before this range, or one that ended when
 * it is known to have. */
static bool is_same_process(const struct known_clock *known, int64_t end_ns, int64_t from_ns)
{
    return known->end_ns == end_ns || (known->end_ns == REST_NOT_ENDED && end_ns >= from_ns);
}

static const struct known_clock *first_known(const struct process_rests *rests, double pid)
{
    const struct known_clock *known = rests->known.items;
    size_t low = 0, high = rests->known.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (known[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rests->known.count && known[low].pid == pid ? &known[low] : NULL;
}

/* Negative: how far the process is accounted for is not known. */
static int64_t find_accounted(const struct process_rests *rests, const struct rests_range *range,
                              const struct image_chain *chain)
{
    const struct known_clock *known = first_known(rests, chain->images[0].pid);
    const struct known_clock *end =
        (const struct known_clock *)rests->known.items + rests->known.count;
    int64_t end_ns = end_of_chain(chain);

    if (!is_continued(rests, range))
        return -1;
    for (; known != NULL && known < end && known->pid == chain->images[0].pid; known++)
        if (is_same_process(known, end_ns, range->from_ns))
            return known->accounted_ns;
    return -1;
}

bool process_rests_may_tell(const struct process_rests *rests, const struct rests_range *range,
                            const struct rest_image *image)
{
    if (image->end_ns >= range->to_ns)
        return false;
    return image->end_ns >= range->from_ns ||
           (is_continued(rests, range) && first_known(rests, image->pid) != NULL);
}

/* --- A process --- */

/* Of a process that was not known: up to where its clock was when IMAGE ended, or at the capture,
 * but for samples that are told in the next range. */
static int64_t accounted_at(const struct rest_image *image)
{
    int64_t accounted_ns = image->charged_ns - image->sampled.late_ns;

    return image->charged_ns < 0 ? -1 : accounted_ns > 0 ? accounted_ns : 0;
}

/* Tells what is charged beyond what is accounted for, which then includes it. */
static void settle_image(struct rest_image *image, bool was_told, int64_t *accounted_ns)
{
    if (image->charged_ns <= *accounted_ns)
        return;
    if (!was_told)
        image->rest_ns = image->charged_ns - *accounted_ns;
    *accounted_ns = image->charged_ns;
}

/* Returns how far the process is accounted for after the range. One that was not known, and began
 * not long before the range, has all of its samples in the capture. */
static int64_t settle_chain(const struct process_rests *rests, const struct rests_range *range,
                            const struct image_chain *chain)
{
    int64_t accounted_ns = find_accounted(rests, range, chain);
    bool was_known = accounted_ns >= 0;

    if (!was_known)
        accounted_ns = chain->images[0].before_ns;
    for (size_t i = 0; i < chain->count; i++) {
        struct rest_image *image = &chain->images[i];
        image->rest_ns = 0;
        if (accounted_ns < 0) {
            accounted_ns = accounted_at(image);
            continue;
        }
        accounted_ns += image->sampled.told_ns + (was_known ? 0 : image->sampled.early_ns);
        if (image->end_ns < range->to_ns)
            settle_image(image, !was_known && image->end_ns < range->from_ns, &accounted_ns);
    }
    return accounted_ns;
}

static int note_clock(struct process_rests *rests, const struct known_clock *clock)
{
    struct known_clock *place = mapped_array_push(&rests->next, sizeof(*place));

    if (place == NULL)
        return -ENOMEM;
    *place = *clock;
    return 0;
}

int process_rests_settle(struct process_rests *rests, const struct rests_range *range,
                         struct mapped_array *images)
{
    struct image_chain chain;
    int error = 0;

    mapped_array_sort(images, sizeof(struct rest_image), is_before);
    rests->next.count = 0;
    rests->next_session_ns = range->session_ns;
    rests->next_covered_ns = range->to_ns;
    for (size_t i = 0; i < images->count && error == 0; i += chain.count) {
        chain = chain_at(images, i);
        const struct known_clock clock = { chain.images[0].pid, end_of_chain(&chain),
                                           settle_chain(rests, range, &chain) };
        if (clock.end_ns >= range->to_ns)
            error = note_clock(rests, &clock);
    }
    return error;
}

void process_rests_keep(struct process_rests *rests)
{
    struct mapped_array spare = rests->known;

    rests->known = rests->next;
    rests->next = spare;
    rests->session_ns = rests->next_session_ns;
    rests->covered_ns = rests->next_covered_ns;
}
