/* The Firefox Profiler's container for very large profiles: the processed profile in slabs. Its
 * root begins with the libraries, so that who only wants to know them need not read further. */
#include <errno.h>

#include "profctl/convert/processed_profile.h"

static int begin_jslb(json_sink_write write, void *context, void **out)
{
    struct processed_profile *profile = processed_profile_create();
    int error =
        profile != NULL ? slabs_create(&profile->latch, write, context, &profile->slabs) : -ENOMEM;

    if (error < 0) {
        if (profile != NULL)
            processed_profile_end(profile);
        return error;
    }
    json_start_array(&profile->json);
    *out = profile;
    return 0;
}

static int put_counters(struct processed_profile *profile, struct json_writer *root)
{
    uint32_t slab;
    int error = processed_profile_write_counters(profile, slabs_start_json(profile->slabs, &slab));

    slabs_end_json(profile->slabs);
    json_name(root, "counters");
    slab_reference(root, slab);
    return error;
}

static void put_shared_tables(struct processed_profile *profile, struct json_writer *root)
{
    uint32_t slab;
    const struct column_output output = { slabs_start_json(profile->slabs, &slab), profile->slabs };

    shared_tables_write(&profile->tables, &output);
    slabs_end_json(profile->slabs);
    json_name(root, "shared");
    slab_reference(root, slab);
}

/* 0 or a negative errno. */
static int put_root(struct processed_profile *profile, const struct profile_facts *facts,
                    struct json_writer *root)
{
    json_start_object(root);
    shared_tables_write_libraries(&profile->tables, root);
    processed_profile_write_meta(profile, facts, root);
    json_name(root, "threads");
    json_splice(root, &profile->json);
    int error = put_counters(profile, root);
    put_shared_tables(profile, root);
    json_end_object(root);
    return error;
}

static int finish_jslb(void *state, const struct profile_facts *facts)
{
    struct processed_profile *profile = state;
    struct json_writer root;
    int error = processed_profile_end_threads(profile);

    if (error < 0)
        return error;
    json_writer_init(&root, &profile->latch);
    error = put_root(profile, facts, &root);
    if (error == 0)
        error = slabs_write(profile->slabs, &root);
    json_writer_fini(&root);
    return error;
}

const struct profile_format format_jslb = {
    .name = "jslb",
    .ending = ".jslb",
    .summary = "the Firefox Profiler's container for large profiles",
    .begin = begin_jslb,
    .add_thread = processed_profile_add_thread,
    .finish = finish_jslb,
    .end = processed_profile_end,
    .add_counter = processed_profile_add_counter,
    .add_process = processed_profile_add_process,
    .add_meta = processed_profile_add_meta,
    .merge_exited = processed_profile_merge_exited,
    .wants_markers = true,
    .wants_profd = true,
};
