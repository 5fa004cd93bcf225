# Sourced by scripts/bench: the table, and the statistics in it.
# shellcheck shell=bash disable=SC2034,SC2154

row() {
    printf '%-58s | %19s | %12s | %s\n' "$@"
}

# Rows of the lines "figure WHAT VALUE UNIT LIMIT"; a unit "x at least" turns the comparison around.
table() {
    local kind what value unit limit verdict
    while IFS=$'\t' read -r kind what value unit limit; do
        [ "$kind" = figure ] || continue
        if awk -v value="$value" -v limit="$limit" -v unit="$unit" \
            'BEGIN { exit !(unit ~ /at least/ ? value >= limit : value <= limit) }'; then
            verdict=ok
        else
            verdict=over
            over=1
        fi
        row "$what" "$value ${unit% at least}" "$limit ${unit% at least}" "$verdict"
    done
}

figure() {
    table < <(printf 'figure\t%s\t%.3f\t%s\t%s\n' "$@")
}

# ranged_figure WHAT UNIT LIMIT <VALUES: of the median; "over" only when its whole 95 % interval is. (Those that are
# k-th from either end enclose the median of what was measured unless fewer than k are on one side of it, which is a matter of coins.)
ranged_figure() {
    local what=$1 unit=$2 limit=$3 middle least most verdict=ok
    read -r middle least most < <(sort -g | awk '
        { v[NR] = $1 }
        END {
            coin = 0.5 ^ NR
            for (k = 0; k < NR / 2 && (below += coin) <= 0.025; k++)
                coin *= (NR - k) / (k + 1)
            k = k > 0 ? k : 1
            print v[int((NR + 1) / 2)], v[k], v[NR + 1 - k]
        }')
    if awk -v least="$least" -v most="$most" -v limit="$limit" -v unit="$unit" \
        'BEGIN { exit !(unit ~ /at least/ ? most < limit : least > limit) }'; then
        verdict=over
        over=1
    fi
    row "$what" "$(printf '%.3f (%.2f-%.2f) %s' "$middle" "$least" "$most" "${unit% at least}")" \
        "$limit ${unit% at least}" "$verdict"
}

not_measured() {
    row "$1" - - "not measured: $2"
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# value NAME <OUTPUT: of a line "value NAME NUMBER"
value() {
    awk -F'\t' -v name="$1" '$1 == "value" && $2 == name { print $3 }'
}
