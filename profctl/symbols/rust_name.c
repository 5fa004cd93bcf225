/* The grammar, each function reading one rule and writing its text:
 *
 *     symbol  _R path [path of the crate that made it]
 *     path    C name | M impl type | X impl type path | Y type path | N namespace path name
 *             | I path {argument} E | B place
 *     type    letter | A type const | S type | T {type} E | R type | Q type | P type | O type
 *             | F signature | D {bound} E lifetime | path
 *
 * A place ("back reference") is where the same thing was written before. */
#include "profctl/symbols/rust_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_NAME = 4096, /* back references can make names grow without end */
    DEEPEST = 128,
};

struct demangler {
    const char *start, *next; /* behind "_R" */
    char *text;               /* LONGEST_NAME */
    size_t length;
    unsigned depth;
    unsigned silent; /* read only, write nothing, while above 0 */
    bool failed;
};

static void read_path(struct demangler *d, bool is_value);
static void read_type(struct demangler *d);
static void read_const(struct demangler *d);

/* --- Reading and writing --- */

static char peek(const struct demangler *d)
{
    if (d->failed)
        return '\0';
    return *d->next;
}

static char take(struct demangler *d)
{
    const char character = peek(d);

    if (character == '\0')
        d->failed = true;
    else
        d->next++;
    return character;
}

static bool accept(struct demangler *d, char wanted)
{
    if (peek(d) != wanted)
        return false;
    d->next++;
    return true;
}

static void put_bytes(struct demangler *d, const char *bytes, size_t count)
{
    if (d->silent > 0 || d->failed || count == 0)
        return;
    if (d->length + count >= LONGEST_NAME) {
        d->failed = true;
        return;
    }
    memcpy(d->text + d->length, bytes, count);
    d->length += count;
}

static void put(struct demangler *d, const char *text)
{
    put_bytes(d, text, strlen(text));
}

static void put_number(struct demangler *d, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    put(d, text);
}

/* Hashes are written so, too: what is too large wraps around, and is looked at by nobody. */
static uint64_t read_base_62(struct demangler *d)
{
    uint64_t number = 0;

    if (accept(d, '_'))
        return 0;
    while (!d->failed && !accept(d, '_')) {
        char digit = take(d);

        if (isdigit((unsigned char)digit))
            number = number * 62 + (uint64_t)(digit - '0');
        else if (islower((unsigned char)digit))
            number = number * 62 + 10 + (uint64_t)(digit - 'a');
        else if (isupper((unsigned char)digit))
            number = number * 62 + 36 + (uint64_t)(digit - 'A');
        else
            d->failed = true;
    }
    return number + 1;
}

static uint64_t read_optional(struct demangler *d, char tag)
{
    return accept(d, tag) ? read_base_62(d) + 1 : 0;
}

/* Reads RULE at the place that is named next, and goes on behind the name. */
static void follow(struct demangler *d, void (*rule)(struct demangler *d))
{
    const char *here = d->next - 1;
    uint64_t place = read_base_62(d);
    const char *behind = d->next;

    if (d->failed || place >= (uint64_t)(here - d->start)) {
        d->failed = true;
        return;
    }
    if (d->silent > 0)
        return;
    d->next = d->start + place;
    rule(d);
    d->next = behind;
}

/* Counts nested rules; false (and failed) when there are too many. Pair with leave(). */
static bool enter(struct demangler *d)
{
    if (++d->depth > DEEPEST)
        d->failed = true;
    return !d->failed;
}

static void leave(struct demangler *d)
{
    d->depth--;
}

/* --- Names --- */

struct identifier {
    const char *bytes;
    size_t count;
    uint64_t number; /* tells those of one name apart */
};

static struct identifier read_identifier(struct demangler *d)
{
    struct identifier name = { .number = read_optional(d, 's') };

    (void)accept(d, 'u'); /* punycode: shown as it is */
    if (!isdigit((unsigned char)peek(d)))
        d->failed = true;
    if (accept(d, '0')) /* no number begins with it, so another may follow at once */
        return name;
    while (isdigit((unsigned char)peek(d)) && name.count < LONGEST_NAME)
        name.count = name.count * 10 + (size_t)(take(d) - '0');
    (void)accept(d, '_');
    if (d->failed || name.count > strlen(d->next)) {
        d->failed = true;
        return (struct identifier){ 0 };
    }
    name.bytes = d->next;
    d->next += name.count;
    return name;
}

/* --- Paths --- */

/* Where an impl stands says nothing that its type does not. */
static void skip_impl_place(struct demangler *d)
{
    d->silent++;
    (void)read_optional(d, 's');
    read_path(d, false);
    d->silent--;
}

static void read_nested(struct demangler *d, bool is_value)
{
    char space = take(d);
    struct identifier name;

    read_path(d, is_value);
    name = read_identifier(d);
    if (isupper((unsigned char)space)) {
        put(d, "::{");
        put_bytes(d, &space, space != 'C' && space != 'S');
        put(d, space == 'C' ? "closure" : space == 'S' ? "shim" : "");
        put(d, name.count > 0 ? ":" : "");
        put_bytes(d, name.bytes, name.count);
        put(d, "#");
        put_number(d, name.number);
        put(d, "}");
    } else if (name.count > 0) {
        put(d, "::");
        put_bytes(d, name.bytes, name.count);
    }
}

static void read_argument(struct demangler *d)
{
    if (accept(d, 'L')) {
        (void)read_base_62(d);
        put(d, "'_");
    } else if (accept(d, 'K')) {
        read_const(d);
    } else {
        read_type(d);
    }
}

/* Reads RULE until E, with commas between. Returns how many there were. */
static unsigned read_list(struct demangler *d, void (*rule)(struct demangler *d))
{
    unsigned count = 0;

    while (!d->failed && !accept(d, 'E')) {
        if (count++ > 0)
            put(d, ", ");
        rule(d);
    }
    return count;
}

static void read_type_path(struct demangler *d)
{
    read_path(d, false);
}

static void read_value_path(struct demangler *d)
{
    read_path(d, true);
}

/* "<type as trait>" or, without a trait, "<type>". */
static void read_impl(struct demangler *d, bool has_place, bool has_trait)
{
    if (has_place)
        skip_impl_place(d);
    put(d, "<");
    read_type(d);
    if (has_trait) {
        put(d, " as ");
        read_path(d, false);
    }
    put(d, ">");
}

static void read_path(struct demangler *d, bool is_value)
{
    struct identifier name;

    if (!enter(d))
        return;
    switch (take(d)) {
    case 'C':
        name = read_identifier(d);
        put_bytes(d, name.bytes, name.count);
        break;
    case 'M':
        read_impl(d, true, false);
        break;
    case 'X':
        read_impl(d, true, true);
        break;
    case 'Y':
        read_impl(d, false, true);
        break;
    case 'N':
        read_nested(d, is_value);
        break;
    case 'I':
        read_path(d, is_value);
        put(d, is_value ? "::<" : "<");
        (void)read_list(d, read_argument);
        put(d, ">");
        break;
    case 'B':
        follow(d, is_value ? read_value_path : read_type_path);
        break;
    default:
        d->failed = true;
    }
    leave(d);
}

/* --- Types --- */

static const char *basic_type(char letter)
{
    static const char *const names['z' - 'a' + 1] = {
        "i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
        "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
        "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
    };

    return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

static void read_reference(struct demangler *d, const char *sign)
{
    put(d, sign);
    if (accept(d, 'L'))
        (void)read_base_62(d);
    read_type(d);
}

static void read_array(struct demangler *d, bool has_length)
{
    put(d, "[");
    read_type(d);
    if (has_length) {
        put(d, "; ");
        read_const(d);
    }
    put(d, "]");
}

static void read_tuple(struct demangler *d)
{
    put(d, "(");
    if (read_list(d, read_type) == 1)
        put(d, ",");
    put(d, ")");
}

static void read_signature(struct demangler *d)
{
    struct identifier abi;

    (void)read_optional(d, 'G');
    if (accept(d, 'U'))
        put(d, "unsafe ");
    if (accept(d, 'K')) {
        put(d, "extern \"");
        if (accept(d, 'C')) {
            put(d, "C");
        } else {
            abi = read_identifier(d);
            put_bytes(d, abi.bytes, abi.count);
        }
        put(d, "\" ");
    }
    put(d, "fn(");
    (void)read_list(d, read_type);
    put(d, ")");
    if (accept(d, 'u'))
        return;
    put(d, " -> ");
    read_type(d);
}

/* "Trait<Argument, Item = Type>": the types come behind the trait's own arguments. */
static void read_bound(struct demangler *d)
{
    bool is_open = false;

    read_path(d, false);
    while (accept(d, 'p')) {
        struct identifier name = read_identifier(d);

        if (!is_open && d->silent == 0 && d->length > 0 && d->text[d->length - 1] == '>') {
            d->length--;
            put(d, ", ");
        } else {
            put(d, is_open ? ", " : "<");
        }
        is_open = true;
        put_bytes(d, name.bytes, name.count);
        put(d, " = ");
        read_type(d);
    }
    if (is_open)
        put(d, ">");
}

static void read_trait_object(struct demangler *d)
{
    unsigned count = 0;

    put(d, "dyn ");
    (void)read_optional(d, 'G');
    while (!d->failed && !accept(d, 'E')) {
        if (count++ > 0)
            put(d, " + ");
        read_bound(d);
    }
    if (!accept(d, 'L'))
        d->failed = true;
    (void)read_base_62(d);
}

/* A type that begins with a capital letter of its own; false: it is a path. */
static bool read_composed_type(struct demangler *d, char letter)
{
    switch (letter) {
    case 'A':
    case 'S':
        read_array(d, letter == 'A');
        return true;
    case 'T':
        read_tuple(d);
        return true;
    case 'R':
    case 'Q':
        read_reference(d, letter == 'R' ? "&" : "&mut ");
        return true;
    case 'P':
    case 'O':
        read_reference(d, letter == 'P' ? "*const " : "*mut ");
        return true;
    case 'F':
        read_signature(d);
        return true;
    case 'D':
        read_trait_object(d);
        return true;
    case 'B':
        follow(d, read_type);
        return true;
    default:
        return false;
    }
}

static void read_type(struct demangler *d)
{
    char letter;

    if (!enter(d))
        return;
    letter = take(d);
    if (basic_type(letter) != NULL) {
        put(d, basic_type(letter));
    } else if (!read_composed_type(d, letter)) {
        d->next -= letter != '\0';
        read_path(d, false);
    }
    leave(d);
}

/* --- Constants --- */

static void read_const_number(struct demangler *d, char type)
{
    uint64_t number = 0;

    if (accept(d, 'n'))
        put(d, "-");
    while (!d->failed && !accept(d, '_')) {
        char digit = take(d);

        if (!isxdigit((unsigned char)digit) || number >> 60 != 0)
            d->failed = true;
        number = number << 4 |
                 (uint64_t)(isdigit((unsigned char)digit) ? digit - '0' : digit - 'a' + 10);
    }
    if (type == 'b')
        put(d, number != 0 ? "true" : "false");
    else
        put_number(d, number);
}

static void read_const(struct demangler *d)
{
    char letter;

    if (!enter(d))
        return;
    letter = take(d);
    if (letter == 'p')
        put(d, "_");
    else if (letter == 'B')
        follow(d, read_const);
    else if (letter != '\0' && strchr("abchijlmnostxy", letter) != NULL)
        read_const_number(d, letter);
    else
        d->failed = true;
    leave(d);
}

/* --- The whole --- */

/* What compilers put behind the name: ".llvm.123", ".cold". */
static bool is_end(const struct demangler *d)
{
    return *d->next == '\0' || *d->next == '.' || *d->next == '$';
}

static bool read_symbol(struct demangler *d)
{
    read_path(d, true);
    if (!d->failed && !is_end(d)) {
        d->silent++;
        read_path(d, false);
        d->silent--;
    }
    return !d->failed && is_end(d);
}

char *rust_name_demangle(const char *linker_name)
{
    struct demangler d = { 0 };
    char *shown = NULL;

    if (strncmp(linker_name, "_R", 2) != 0)
        return NULL;
    d.start = d.next = linker_name + 2;
    d.text = malloc(LONGEST_NAME);
    if (d.text != NULL && read_symbol(&d))
        shown = strndup(d.text, d.length);
    free(d.text);
    return shown;
}
