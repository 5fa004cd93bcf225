#include "profctl/arguments/arguments.h"

#include <string.h>

#include "common/features.h"
#include "common/option_words.h"
#include "common/time_units.h"
#include "ipc/messages.h"
#include "profctl/arguments/option_list.h"
#include "profctl/arguments/option_value.h"

void arguments_init(struct arguments *arguments)
{
    *arguments = (struct arguments){
        .interval_ns = NS_PER_MS,
        .features = FEATURES_DEFAULT,
        .measures = GROUP_NEEDS_USUAL,
        .threads = "",
        .timeout_ms = UINT64_C(10) * MS_PER_S,
        .max_files = 10,
        .top = 10,
        .period_ms = 1000,
        .idle_ms = UINT64_C(3600) * MS_PER_S,
        .export_every_ms = UINT64_C(60) * MS_PER_S,
        .spool_limit_bytes = UINT64_C(256) << 20,
    };
}

/* --- Words that cannot be taken --- */

/* COMMAND NULL: an option of profctl itself. */
static void refuse_unknown(const struct option_table *table, const char *word, const char *command,
                           struct failure *failure)
{
    char name[64];
    const char *meant;

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    meant = strncmp(name, "--", 2) == 0 ? option_table_nearest(table, name + 2) : NULL;
    failure_set(failure, EXIT_CODE_USAGE, "unknown option %s%s%s%s; see profctl%s%s --help", name,
                meant ? "; did you mean --" : "", meant ? meant : "", meant ? "?" : "",
                command ? " " : "", command ? command : "");
}

static void refuse_word(enum option_word_kind kind, const struct option_word *word,
                        const struct option_table *table, const char *command,
                        struct failure *failure)
{
    const struct option_row *option = word->row;

    if (kind == OPTION_WORD_UNKNOWN)
        refuse_unknown(table, word->word, command, failure);
    else if (kind == OPTION_WORD_VALUE_MISSING)
        failure_set(failure, EXIT_CODE_USAGE, "--%s needs a value: --%s %s", option->name,
                    option->name, option->value);
    else
        failure_set(failure, EXIT_CODE_USAGE, "--%s takes no value", option->name);
}

/* Whether OPTION says again by another option how far samples are apart; *GIVEN is the one that did
 * before, NULL: none. The last one of them would win in silence. */
static bool refuse_second(const struct option_row *option, const struct option_row **given,
                          struct failure *failure)
{
    if (option->kind != OPTION_INTERVAL && option->kind != OPTION_RATE)
        return false;
    bool is_other = *given != NULL && (*given)->kind != option->kind;
    *given = option;
    if (is_other)
        failure_set(failure, EXIT_CODE_USAGE, "use either --interval or --rate");
    return is_other;
}

/* --- Words --- */

bool arguments_parse(struct arguments *arguments, int count, char **words, unsigned sets,
                     bool stop_at_operand, const char *command, struct failure *failure)
{
    const struct option_table table = option_list(sets);
    const struct option_row *distance = NULL; /* of samples */
    struct option_words cursor = { .words = words, .count = count };
    struct option_word word;
    enum option_word_kind kind;
    int operands = 0; /* kept at the front meanwhile: words before the cursor are read */

    do {
        kind = option_words_next(&cursor, &table, &word);
        switch (kind) {
        case OPTION_WORD_NONE:
        case OPTION_WORD_DASHES:
            break;
        case OPTION_WORD_OPERAND:
            words[operands++] = words[cursor.next - 1];
            break;
        case OPTION_WORD_OPTION:
            if (refuse_second(word.row, &distance, failure) ||
                !option_value_set(arguments, word.row, word.value, failure))
                return false;
            break;
        default:
            refuse_word(kind, &word, &table, command, failure);
            return false;
        }
    } while (kind == OPTION_WORD_OPTION || (kind == OPTION_WORD_OPERAND && !stop_at_operand));
    memmove(words + cursor.next - operands, words, (size_t)operands * sizeof(*words));
    arguments->operands = words + cursor.next - operands;
    arguments->operand_count = count - cursor.next + operands;
    return true;
}
