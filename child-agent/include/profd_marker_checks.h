/* Details of PROFD_MARKER_TYPE: labels and colour fields that name a field which the type does not
 * have are compile-time errors.
 *
 * In C++ they always are. C has no constant expressions of strings, but optimising compilers can
 * evaluate the comparisons: each type has an empty function that calls one marked as an error if a
 * label is invalid. Without optimisation the agent reports it when the type is first used. The
 * syntax of labels is that of json/gecko/marker_label.h, of which the syntax of "? 'a' : 'b'" is
 * not checked here. */
#ifndef PROFD_MARKER_CHECKS_H
#define PROFD_MARKER_CHECKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* PROFD_MARKER_TYPE's further arguments once more, as constants. */
struct profd_marker_display_ {
    int nothing;
    uint32_t places, is_stack_based;
    const char *chart_label, *table_label, *tooltip_label, *colour_field;
};

/* Formats whose values viewers see as strings: what a colour's name can be. */
#define PROFD_IS_TEXT_(FORMAT)                                                                     \
    ((FORMAT) >= PROFD_FORMAT_STRING && (FORMAT) <= PROFD_FORMAT_FILE_PATH)

#ifdef __cplusplus

enum { PROFD_LABEL_MOST_ = 300 }; /* bytes that are checked: compilers limit recursion */

/* Returns what follows PREFIX in TEXT; NULL if TEXT does not begin with PREFIX. */
constexpr const char *profd_after_(const char *text, const char *prefix)
{
    return *prefix == '\0' ? text : *text != *prefix ? nullptr : profd_after_(text + 1, prefix + 1);
}

constexpr const char *profd_past_spaces_(const char *text)
{
    return text != nullptr && *text == ' ' ? profd_past_spaces_(text + 1) : text;
}

/* Whether a reference ends at TEXT (after spaces), or continues with a choice. */
constexpr bool profd_is_end_(const char *text, bool may_be_choice)
{
    return text != nullptr && (*text == '}' || (may_be_choice && *text == '?'));
}

constexpr bool profd_names_(const char *text, const char *what, bool may_be_choice)
{
    return profd_is_end_(profd_past_spaces_(profd_after_(text, what)), may_be_choice);
}

constexpr bool profd_names_field_(const char *text, const struct profd_marker_field *fields,
                                  size_t count)
{
    return text != nullptr && count > 0 &&
           (profd_names_(text, fields->key, true) ||
            profd_names_field_(text, fields + 1, count - 1));
}

constexpr bool profd_is_reference_(const char *text, const struct profd_marker_field *fields,
                                   size_t count)
{
    return profd_names_field_(profd_after_(text, "marker.data."), fields, count) ||
           profd_names_(text, "marker.start", false) || profd_names_(text, "marker.end", false) ||
           profd_names_(text, "marker.duration", false) ||
           profd_names_(text, "marker.name", false) || profd_names_(text, "marker.category", false);
}

constexpr bool profd_is_closed_(const char *text, int most)
{
    return *text == '}' || (*text != '\0' && most > 0 && profd_is_closed_(text + 1, most - 1));
}

constexpr bool profd_label_is_good_(const char *label, const struct profd_marker_field *fields,
                                    size_t count, int most)
{
    return label == nullptr || *label == '\0' || most == 0 ||
           ((*label != '{' || label[1] == '}' || !profd_is_closed_(label, most) ||
             profd_is_reference_(profd_past_spaces_(label + 1), fields, count)) &&
            profd_label_is_good_(label + 1, fields, count, most - 1));
}

constexpr bool profd_is_same_(const char *a, const char *b)
{
    return profd_after_(a, b) != nullptr && *profd_after_(a, b) == '\0';
}

constexpr bool profd_colour_is_good_(const char *colour, const struct profd_marker_field *fields,
                                     size_t count)
{
    return colour == nullptr || *colour == '\0' ||
           (count > 0 && ((PROFD_IS_TEXT_(fields->format) && profd_is_same_(colour, fields->key)) ||
                          profd_colour_is_good_(colour, fields + 1, count - 1)));
}

#define PROFD_CHECK_LABEL_(NAME, LABEL)                                                            \
    static_assert(                                                                                 \
        profd_label_is_good_(profd_display_##NAME.LABEL, profd_fields_##NAME,                      \
                             sizeof(profd_fields_##NAME) / sizeof(profd_fields_##NAME[0]) - 1,     \
                             PROFD_LABEL_MOST_),                                                   \
        #LABEL " of marker type " #NAME " refers to what it does not have");

#define PROFD_CHECK_DISPLAY_(NAME, FIELDS, ...)                                                    \
    static constexpr struct profd_marker_display_ profd_display_##NAME = { .nothing = 0,           \
                                                                           __VA_ARGS__ };          \
    PROFD_CHECK_LABEL_(NAME, chart_label)                                                          \
    PROFD_CHECK_LABEL_(NAME, table_label)                                                          \
    PROFD_CHECK_LABEL_(NAME, tooltip_label)                                                        \
    static_assert(                                                                                 \
        profd_colour_is_good_(profd_display_##NAME.colour_field, profd_fields_##NAME,              \
                              sizeof(profd_fields_##NAME) / sizeof(profd_fields_##NAME[0]) - 1),   \
        "colour_field of marker type " #NAME " is not one of its strings");

#define PROFD_CONSTANT_ constexpr

#else

#define PROFD_CONSTANT_ const

#if defined(__OPTIMIZE__) && defined(__has_attribute)
#if __has_attribute(error)
#define PROFD_HAS_ERRORS_
#endif
#endif

#ifdef PROFD_HAS_ERRORS_

void profd_label_is_bad_(void)
    __attribute__((error("a label of this marker type refers to what it does not have")));
void profd_colour_is_bad_(void)
    __attribute__((error("the colour_field of this marker type is not one of its strings")));

/* Whether WORD, which stands behind a brace, is WHAT. */
__attribute__((always_inline)) static inline int profd_names_(const char *word, const char *what,
                                                              int may_be_choice)
{
    size_t length = strlen(what);
    if (strncmp(word, what, length) != 0)
        return 0;
    word += length;
    word += strspn(word, " ");
    return *word == '}' || (may_be_choice && *word == '?');
}

__attribute__((always_inline)) static inline int profd_names_part_(const char *word)
{
    return profd_names_(word, "marker.start", 0) | profd_names_(word, "marker.end", 0) |
           profd_names_(word, "marker.duration", 0) | profd_names_(word, "marker.name", 0) |
           profd_names_(word, "marker.category", 0);
}

#define PROFD_FIELD_NAMED_(FORMAT, KEY, LABEL) | profd_names_(profd_word, "marker.data." #KEY, 1)
#define PROFD_FIELD_COLOUR_(FORMAT, KEY, LABEL)                                                    \
    | (PROFD_IS_TEXT_(PROFD_FORMAT_##FORMAT) && strcmp(profd_colour, #KEY) == 0)

/* The next brace of a label. */
#define PROFD_CHECK_NEXT_(FIELDS)                                                                  \
    profd_at += strcspn(profd_at, "{");                                                            \
    {                                                                                              \
        const char *profd_word = profd_at + (*profd_at != '\0');                                   \
        int profd_is_empty = *profd_word == '}';                                                   \
        profd_word += strspn(profd_word, " ");                                                     \
        int profd_is_bad = *profd_at != '\0' && !profd_is_empty &&                                 \
                           strchr(profd_at, '}') != NULL &&                                        \
                           !(profd_names_part_(profd_word) FIELDS(PROFD_FIELD_NAMED_));            \
        if (__builtin_constant_p(profd_is_bad) && profd_is_bad)                                    \
            profd_label_is_bad_();                                                                 \
        profd_at += *profd_at != '\0';                                                             \
    }

/* The first six; the agent checks all. */
#define PROFD_CHECK_LABEL_(FIELDS, LABEL)                                                          \
    {                                                                                              \
        const char *profd_at = profd_display.LABEL != NULL ? profd_display.LABEL : "";             \
        PROFD_CHECK_NEXT_(FIELDS)                                                                  \
        PROFD_CHECK_NEXT_(FIELDS)                                                                  \
        PROFD_CHECK_NEXT_(FIELDS)                                                                  \
        PROFD_CHECK_NEXT_(FIELDS)                                                                  \
        PROFD_CHECK_NEXT_(FIELDS)                                                                  \
        PROFD_CHECK_NEXT_(FIELDS)                                                                  \
    }

#define PROFD_CHECK_DISPLAY_(NAME, FIELDS, ...)                                                    \
    __attribute__((used, cold)) static void profd_check_##NAME(void)                               \
    {                                                                                              \
        static const struct profd_marker_display_ profd_display = { .nothing = 0, __VA_ARGS__ };   \
        PROFD_CHECK_LABEL_(FIELDS, chart_label)                                                    \
        PROFD_CHECK_LABEL_(FIELDS, table_label)                                                    \
        PROFD_CHECK_LABEL_(FIELDS, tooltip_label)                                                  \
        const char *profd_colour =                                                                 \
            profd_display.colour_field != NULL ? profd_display.colour_field : "";                  \
        int profd_is_bad = !((*profd_colour == '\0') FIELDS(PROFD_FIELD_COLOUR_));                 \
        if (__builtin_constant_p(profd_is_bad) && profd_is_bad)                                    \
            profd_colour_is_bad_();                                                                \
    }

#else
#define PROFD_CHECK_DISPLAY_(NAME, FIELDS, ...)
#endif

#endif

#endif
