/* judge_truth TRUTH PROFILE: compares what a program says of its own CPU time (TRUTH: the lines of
 * known_truth.c) with what a profile of it books. PROFILE: a capture with names (.json), or perf's
 * samples (truth_perf.h).
 *
 * A sample's CPU time is booked to the innermost function in its stack that the program knows of.
 * Prints lines of fields separated by tabs; times are ms:
 *
 * - function NAME TRUE BOOKED
 * - thread TID NAME TRUE BOOKED SAMPLES SAMPLES-FOR-A-SECOND (of CPU time)
 * - value NAME NUMBER:
 *   - hz: ticks of the kernel in a second
 *   - cpu_ms: true, of all threads; booked_ms
 *   - samples: those that stand for CPU time
 *   - error: half the sum of |booked - true| over the functions, in % of the CPU time
 *   - chance: the error to be expected of a profile that is right, for so many samples
 *   - spread: by how much chance is larger because samples do not stand for the same time each
 *   - other, true_other: in none of the functions, in % of the CPU time
 *   - blocking: in calls that wait, in % of the CPU time
 *   - sum: of the thread whose booked time is furthest from its clock, by how many %
 *   - rate: samples for a second of CPU time; of all threads, since with few samples each the
 *     fewest that one has say more of chance than of the clock
 *
 * sum looks at threads with at least a tenth of the CPU time of the busiest. */
#include "tests/system/programs/truth_capture.h"
#include "tests/system/programs/truth_perf.h"

static double true_ns(const struct books *books)
{
    double sum = 0;
    for (int i = 0; i < books->thread_count; i++)
        sum += books->threads[i].true_ns;
    return sum;
}

static double booked_ns(const struct books *books)
{
    double sum = 0;
    for (int i = 0; i < books->thread_count; i++)
        sum += books->threads[i].booked_ns;
    return sum;
}

static unsigned long samples_of(const struct books *books)
{
    unsigned long sum = 0;
    for (int i = 0; i < books->thread_count; i++)
        sum += books->threads[i].samples;
    return sum;
}

static double error_percent(const struct books *books)
{
    double sum = 0;
    for (int i = 0; i < books->function_count; i++)
        sum += fabs(books->functions[i].booked_ns - books->functions[i].true_ns);
    return 100 * sum / 2 / true_ns(books);
}

/* A share p that n samples are to tell is off by sqrt(p(1-p)/n) * sqrt(2/pi) on average; half of
 * that. */
static double chance_percent(const struct books *books)
{
    double sum = 0, samples = (double)samples_of(books);
    for (int i = 0; i < books->function_count; i++) {
        double share = books->functions[i].true_ns / true_ns(books);
        sum += sqrt(share * (1 - share) / samples) * 0.4;
    }
    return 100 * sum;
}

/* So many samples tell as much as the square of their sum, over the sum of their squares, would if
 * they were all alike. */
static double spread_of(const struct books *books)
{
    return sqrt((double)samples_of(books) * books->squares_ns2) / booked_ns(books);
}

static double samples_per_second(const struct booked_thread *thread)
{
    return (double)thread->samples * 1e9 / thread->true_ns;
}

static double busiest_ns(const struct books *books)
{
    double most = 0;
    for (int i = 0; i < books->thread_count; i++)
        most = fmax(most, books->threads[i].true_ns);
    return most;
}

static void print_threads(const struct books *books)
{
    double worst_sum = 0, seconds = 0, samples = 0;
    for (int i = 0; i < books->thread_count; i++) {
        const struct booked_thread *thread = &books->threads[i];
        double sum = 100 * (thread->booked_ns / thread->true_ns - 1);
        printf("thread\t%ld\t%s\t%.3f\t%.3f\t%lu\t%.1f\n", thread->tid, thread->name,
               thread->true_ns / 1e6, thread->booked_ns / 1e6, thread->samples,
               samples_per_second(thread));
        seconds += thread->true_ns / 1e9;
        samples += (double)thread->samples;
        if (thread->true_ns < busiest_ns(books) / 10)
            continue;
        worst_sum = fabs(sum) > fabs(worst_sum) ? sum : worst_sum;
    }
    printf("value\tsum\t%.3f\nvalue\trate\t%.1f\n", worst_sum, samples / seconds);
}

static void print_judgement(const struct books *books)
{
    double all_ns = true_ns(books);
    for (int i = 0; i < books->function_count; i++) {
        const struct booked_function *function = &books->functions[i];
        printf("function\t%s\t%.3f\t%.3f\n", function->name, function->true_ns / 1e6,
               function->booked_ns / 1e6);
    }
    print_threads(books);
    printf("value\thz\t%.0f\n", books->hz);
    printf("value\tcpu_ms\t%.3f\nvalue\tbooked_ms\t%.3f\n", all_ns / 1e6, booked_ns(books) / 1e6);
    printf("value\tsamples\t%lu\n", samples_of(books));
    printf("value\terror\t%.3f\nvalue\tchance\t%.3f\n", error_percent(books),
           chance_percent(books));
    printf("value\tspread\t%.3f\n", spread_of(books));
    printf("value\tother\t%.3f\n", 100 * books->other_ns / all_ns);
    printf("value\ttrue_other\t%.3f\n", 100 * books->true_other_ns / all_ns);
    printf("value\tblocking\t%.3f\n", 100 * books->blocking_ns / all_ns);
}

static char *read_file(FILE *file, size_t *bytes)
{
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) != 0 || ftell(file) < 0)
        return NULL;
    *bytes = (size_t)ftell(file);
    rewind(file);
    text = malloc(*bytes + 1);
    if (text != NULL && fread(text, 1, *bytes, file) != *bytes) {
        free(text);
        text = NULL;
    }
    return text;
}

static int book_profile(struct books *books, FILE *file)
{
    int first = getc(file), status = -1;
    size_t bytes;
    rewind(file);
    if (first != '{')
        return truth_book_perf(books, file);
    char *text = read_file(file, &bytes);
    if (text != NULL)
        status = truth_book_capture(books, text, bytes);
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    static struct books books;
    FILE *truth = argc == 3 ? fopen(argv[1], "r") : NULL;
    FILE *profile = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (truth == NULL || profile == NULL) {
        fprintf(stderr, "judge_truth: needs the program's lines and a profile\n");
        return 2;
    }
    if (books_read_truth(&books, truth) < 0 || book_profile(&books, profile) < 0) {
        fprintf(stderr, "judge_truth: %s or %s is not what it should be\n", argv[1], argv[2]);
        return 1;
    }
    print_judgement(&books);
    fclose(profile);
    fclose(truth);
    return 0;
}
