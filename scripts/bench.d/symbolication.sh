# Sourced by scripts/bench: giving addresses their names.
# shellcheck shell=bash disable=SC2154

# The largest C++ library that is here, as Debian's packages of LLVM and of the C++ runtime have them.
large_library() {
    find /usr/lib/x86_64-linux-gnu -maxdepth 1 -name 'lib*.so.*' -type f \
        \( -name 'libLLVM*' -o -name 'libstdc++*' \) -printf '%s %p\n' | sort -rn | head -n 1 | cut -d ' ' -f 2
}

# Where the code of LIBRARY is: "START BYTES", decimal.
code_of() {
    readelf -SW "$1" | awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == ".text" { print "0x" $3, "0x" $5 }' |
        while read -r start bytes; do echo $((start)) $((bytes)); done
}

build_id() {
    readelf -nW "$1" | sed -n 's/.*Build ID: *//p'
}

# spread_addresses LIBRARY COUNT: so many distinct addresses all over its code, of the file.
spread_addresses() {
    code_of "$1" | awk -v count="$2" '{ for (i = 0; i < count; i++) printf "0x%x\n", $1 + int($2 * i / count) }'
}

# unnamed_profile FILE LIBRARY ADDRESSES …: a profile of one thread, whose frames are the addresses of each library.
unnamed_profile() {
    local file=$1 base=0 libs=''
    shift
    : >"$scratch/absolute"
    while [ $# -gt 0 ]; do
        base=$((base + 0x100000000))
        libs+=${libs:+,}$(printf '{"start":%d,"end":%d,"offset":0,"arch":"x86_64","name":"%s","path":"%s","debugName":"%s","debugPath":"%s","breakpadId":"","codeId":"%s"}' \
            "$base" "$((base + 0xfffff000))" "${1##*/}" "$1" "${1##*/}" "$1" "$(build_id "$1")")
        while read -r address; do printf '0x%x\n' $((base + address)); done <"$2" >>"$scratch/absolute"
        shift 2
    done
    awk -v libs="$libs" '{ strings = strings (NR > 1 ? "," : "") "\"" $1 "\""
                           frames = frames (NR > 1 ? "," : "") "[" NR - 1 "]"
                           stacks = stacks (NR > 1 ? "," : "") "[null," NR - 1 "]"
                           samples = samples (NR > 1 ? "," : "") "[" NR - 1 "," NR "]" }
        END { printf "{\"meta\":{\"version\":30,\"startTime\":1,\"interval\":1},\"libs\":[],\"threads\":[],\"processes\":[{\"meta\":{\"version\":30,\"startTime\":1,\"interval\":1},\"libs\":[%s],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"p\",\"pid\":1,\"tid\":1,\"registerTime\":0,\"unregisterTime\":null,\"stringTable\":[%s],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[%s]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[%s]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[%s]},\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},\"data\":[]}}]}]}", libs, strings, frames, stacks, samples }' \
        "$scratch/absolute" >"$file"
}

# CPU seconds of COMMAND… .
cpu_of() {
    seconds_of "$@" | awk '{ print $2 }'
}

symbolication() {
    local what="100,000 addresses named / eu-addr2line -f -i" large libc library round each=50000
    large=$(large_library)
    libc=$(ldd "$profctl" | awk '$1 == "libc.so.6" { print $3 }')
    if ! command -v eu-addr2line >/dev/null || [ -z "$large" ]; then
        not_measured "$what" "needs elfutils and a C++ library"
        return
    fi
    spread_addresses "$libc" "$each" >"$scratch/of-libc"
    spread_addresses "$large" "$each" >"$scratch/of-large"
    unnamed_profile "$scratch/unnamed.json" "$libc" "$scratch/of-libc" "$large" "$scratch/of-large"
    for ((round = 0; round < 3; round++)); do
        cpu_of "$profctl" -q symbolicate -o "$scratch/named.json" "$scratch/unnamed.json" >>"$scratch/ours"
    done
    # Once: it takes minutes.
    for library in libc large; do
        cpu_of xargs -a "$scratch/of-$library" -n "$each" -s 2000000 eu-addr2line -f -i -e "${!library}"
    done | awk '{ sum += $1 } END { print sum }' >"$scratch/theirs"
    if grep -qE '"stringTable":\["0x[0-9a-f]+","0x[0-9a-f]+","0x' "$scratch/named.json"; then
        not_measured "$what" "the addresses were not named"
        return
    fi
    figure "$what" "$(paste <(median <"$scratch/ours") "$scratch/theirs" | awk '{ print $1 / $2 }')" x 1.5
}
