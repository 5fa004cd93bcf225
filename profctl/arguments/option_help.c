/* The help of options. */
#include "common/features.h"
#include "profctl/arguments/arguments.h"
#include "profctl/arguments/option_list.h"

static const struct option_layout layout = { .has_letters = true, .name_columns = 22 };

static const struct {
    const char *name, *help;
} features[] = {
#define X(name, bit, text, help) { text, help },
    FEATURES(X)
#undef X
};

enum { FEATURE_TOTAL = sizeof(features) / sizeof(features[0]) };

/* What can be recorded, below the option. */
static void print_features(FILE *out)
{
    for (size_t i = 0; i < FEATURE_TOTAL; i++)
        fprintf(out, "%30s%-20s %s\n", "", features[i].name, features[i].help);
}

void arguments_print_options(FILE *out, unsigned sets)
{
    const struct option_table table = option_list(sets);

    for (size_t i = 0; i < table.count; i++)
        if ((table.rows[i].sets & sets) != 0) {
            option_row_print(out, &table.rows[i], &layout);
            if (table.rows[i].kind == OPTION_FEATURES)
                print_features(out);
        }
}
