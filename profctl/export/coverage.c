#include "profctl/export/coverage.h"

#include <errno.h>
#include <string.h>

#include "profctl/export/covered_file.h"

static void keep_covered(struct coverage *coverage, const struct covered *covered)
{
    int error = spool_keep_folder(coverage->spool);

    if (error == 0)
        error = covered_file_write(spool_directory(coverage->spool), covered);
    if (error < 0 && !coverage->is_not_kept)
        say("cannot save how far the export got: %s; if this exporter is killed, what is recorded "
            "until the next one starts is not exported",
            strerror(-error));
    coverage->is_not_kept = error < 0;
}

/* Whose capture is still to be had, as a rule: profd keeps more than a range. */
static void undo_range(struct spool *spool, const struct covered *covered)
{
    if (spool_drop_from(spool, covered->first_batch) > 0)
        say("the last exporter was killed while it stored a range, which is exported again");
}

uint64_t coverage_resume(struct coverage *coverage, struct spool *spool, uint64_t now_ns)
{
    struct covered covered;
    int error = covered_file_read(spool_directory(spool), &covered);

    *coverage = (struct coverage){ .spool = spool };
    if (error < 0 && error != -ENOENT)
        say("cannot read how far the last export got: %s; starting from now", strerror(-error));
    if (error < 0 || covered.until_ns >= now_ns)
        covered = (struct covered){ .until_ns = now_ns };
    if (covered.has_begun)
        undo_range(spool, &covered);
    coverage_end(coverage, covered.until_ns);
    return covered.until_ns;
}

void coverage_begin(struct coverage *coverage, uint64_t covered_ns)
{
    const struct covered covered = { .until_ns = covered_ns,
                                     .has_begun = true,
                                     .first_batch = spool_next_number(coverage->spool) };

    keep_covered(coverage, &covered);
}

void coverage_end(struct coverage *coverage, uint64_t covered_ns)
{
    const struct covered covered = { .until_ns = covered_ns };

    keep_covered(coverage, &covered);
}
