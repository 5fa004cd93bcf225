#!/bin/bash
# profctl convert -o capture.html: the page, in a real browser.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need_browser() {
    command -v chromium >/dev/null || skip "there is no chromium"
}

# load PAGE[#VIEW]: what the page has become, in ./dom. Time goes by quicker there than here, and not while the page is
# at work.
load() {
    HOME=$scratch timeout --kill-after=5 120 chromium --headless --no-sandbox --disable-gpu --no-first-run \
        --user-data-dir="$scratch/browser" --virtual-time-budget=10000 --window-size=1400,900 \
        --dump-dom "file://$scratch/$1" >dom 2>browser.log </dev/null || fail "chromium ended with $?"
    grep -qE '<html[^>]* data-ready="[0-9]+"' dom || fail "the page is not ready: $(grep -oE 'data-failed="[^"]*"' dom)"
}

# fact NAME: what stands at the top of the page.
fact() {
    grep -oE "<dt>$1</dt><dd[^>]*>[^<]*" dom | sed 's/.*>//'
}

# cells FUNCTION: the row of the table of functions, its cells one behind the other.
cells() {
    grep -oE "<div class=\"row\"[^>]*>(<span[^>]*>[^<]*</span>){4}<span[^>]*>$1</span>" dom |
        sed 's/<[^>]*>/ /g' | xargs
}

make_capture() {
    made_once capture.json expect 0 "$profctl" run -o capture.json --clock cpu -- \
        bash -c '"$1" 0.5 & "$1" 0.5; bash -c "kill -KILL \$\$"; wait' - "$programs/busy"
    expect 0 "$profctl" convert capture.json -o capture.html
}

test_the_page_says_what_the_report_says() {
    need_browser
    make_capture
    expect 0 "$profctl" report capture.json
    load "capture.html#tab=functions"
    [ "$(fact 'CPU time')" = "$(sed -n '1s/.*; \(.*\) of CPU time$/\1/p' stdout)" ]
    [ "$(fact Processes)" = "$(sed -n '1s/.*: \([0-9]*\) processes,.*/\1/p' stdout)" ]
    [ "$(fact Samples)" = "$(sed -n '1s/.* \([0-9,]*\) samples,.*/\1/p' stdout)" ]
    [ "$(grep -o '<span class="name">busy</span>' dom | wc -l)" -eq 2 ]
    grep -q '<span class="fate killed">killed by signal 9</span>' dom
    is_most_of_it "$(cells burn_inner)"
}

# All that these processes do is there.
is_most_of_it() {
    awk -v cells="$1" 'BEGIN {
        n = split(cells, cell, " ")
        for (i = 1; i <= n; i++) if (cell[i] ~ /%$/) share[++shares] = cell[i] + 0
        exit !(shares == 2 && share[1] > 80 && share[2] >= share[1] && share[2] <= 100) }' ||
        fail "burn_inner is: $1"
}

test_each_view_can_be_opened() {
    need_browser
    make_capture
    expect 0 "$profctl" report --calls capture.json
    load "capture.html#tab=calls"
    grep -qE "<p class=\"note quiet\">[^<]*\b$(sed -n '1s/.*: \([0-9,]* calls\),.*/\1/p' stdout)" dom
    grep -q '<span class="wide code"[^>]*>main (in busy)</span>' dom
    load "capture.html#tab=markers"
    grep -q '<span class="wide"[^>]*>killed by signal 9</span>' dom
    load "capture.html#search=burn_inner&theme=dark&inverted"
    grep -qE '<output id="matched"[^>]*>[89][0-9]\.[0-9]%|<output id="matched"[^>]*>100' dom
    grep -q 'data-theme="dark"' dom
}

test_programs_that_ran_very_often_share_rows() {
    need_browser
    expect 0 "$profctl" run -o capture.json -- sh -c 'for i in $(seq 220); do /bin/true; done; exit 0'
    expect 0 "$profctl" convert capture.json -o capture.html
    load capture.html
    grep -q '<span class="name">true</span><span class="pid">220 processes</span>' dom
    [ "$(grep -o '<span class="name">true</span>' dom | wc -l)" -eq 1 ]
}

# The page asks for nothing: all that it names is in it.
# They begin and end one after the other, too fast to be sampled.
test_short_programs_do_not_use_more_than_there_is() {
    need_browser
    expect 0 "$profctl" run -o capture.json --clock cpu -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
    expect 0 "$profctl" convert capture.json -o capture.html
    load capture.html
    most=$(grep -oE '<[^>]* id="overview-most"[^>]*>at most [0-9.]+ CPUs' dom | grep -oE '[0-9.]+ CPUs' | cut -d' ' -f1)
    awk -v most="$most" 'BEGIN { exit !(most > 0 && most <= 2) }' || fail "at most '$most' CPUs"
}

test_the_page_needs_nothing_else() {
    make_capture
    refute grep -nE '(src|href)=|https?:|@import|url\(' capture.html
    grep -q "default-src 'none'; script-src 'sha256-" capture.html
}

# one_thread PROCESS FUNCTION STACKS SAMPLES: a profile of it.
one_thread() {
    printf '{"meta":{"interval":1,"product":"profd"},"libs":[],"threads":['
    printf '{"name":"%s","processName":"%s","pid":7,"tid":7,' "$1" "$1"
    printf '"stringTable":["%s"],"frameTable":{"schema":{"location":0},"data":[[0]]},' "$2"
    printf '"stackTable":{"schema":{"prefix":0,"frame":1},"data":[%s]},' "$3"
    printf '"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},'
    printf '"data":[[0,1,null,0,0,{"type":"Text","name":"%s"}]]},' "$1"
    printf '"samples":{"schema":{"stack":0,"time":1},"data":[%s]}}]}' "$4"
}

# Whatever a name says, it is text: were it run, the page would say so.
test_names_with_markup_in_them_are_not_run() {
    need_browser
    local bad="document.documentElement.dataset.ran=1"
    one_thread "<img src=x onerror=$bad></script><script>$bad</script>" "<svg onload=$bad>\${$bad}&lt;b>" \
        '[null,0]' '[0,1],[0,2]' >bad.json
    expect 0 "$profctl" convert bad.json -o bad.html
    refute grep -qE '<img|<svg' bad.html
    for view in flame markers calls functions; do
        load "bad.html#tab=$view"
        refute grep -qE 'data-ran|<img|<svg' dom
        grep -q "&lt;img src=x onerror=$bad&gt;&lt;/script&gt;" dom
    done
    grep -q "&lt;svg onload=$bad&gt;" dom
}

test_a_stack_of_a_hundred_thousand_frames_is_shown() {
    need_browser
    one_thread deep f "$(awk 'BEGIN { printf "[null,0]"; for (i = 0; i < 99999; i++) printf ",[%d,0]", i }')" \
        '[99999,1],[99999,2]' >deep.json
    expect 0 "$profctl" convert deep.json -o deep.html
    for view in tab=flame inverted tab=calls tab=functions; do
        load "deep.html#$view"
    done
    [ "$(cells f)" = "2 samples 100.0% 2 samples 100.0% f" ]
}

# same_calls PROFILE: the table of calls is the list of the report.
same_calls() {
    expect 0 "$profctl" convert -q "$1" -o calls.html
    expect 0 "$profctl" report --calls --top 1000 --json "$1"
    python3 - stdout >wanted <<'END'
import json, sys
for call in json.load(open(sys.argv[1]))["longest"]:
    print(f'{call["durationMs"]:.0f} {call["selfMs"]:.0f} {call["startMs"]:.0f} {call["function"]}')
END
    load "calls.html#tab=calls"
    python3 - dom >shown <<'END'
import html, re, sys
scale = {"ms": 1, "s": 1e3, "µs": 1e-3, "min": 6e4}
def ms(text):
    number, unit = text.split(" ")
    return f"{float(number) * scale[unit]:.0f}"
page = open(sys.argv[1]).read()
page = page[page.index('id="panel-calls"'):page.index('id="panel-markers"')]
for row in re.findall(r'<div class="row"[^>]*>(.*?)</div>', page):
    cells = [html.unescape(cell) for cell in re.findall(r"<span[^>]*>([^<]*)</span>", row)]
    if cells[0][:1].isdigit():
        print(ms(cells[0]), ms(cells[1]), ms(cells[2]), cells[3])
END
    [ -s shown ]
    sort shown >sorted
    head -n "$(wc -l <shown)" wanted | sort | diff - sorted || fail "$1 has other calls on the page"
}

# An event loop: main, in f from 40 to 80 ms. %s: markers.
print_event_loop() {
    printf '{"meta":{"version":30,"startTime":0,"interval":1,"markerSchema":['
    printf '{"name":"task","isTask":true,"data":[]},{"name":"call","isStackBased":true,"data":[]}]},'
    printf '"libs":[],"threads":[{"name":"GeckoMain","processName":"app","pid":7,"tid":7,'
    printf '"registerTime":0,"unregisterTime":null,"stringTable":["main","f (a.js:1:2)","it","f (a.js:1:9)"],'
    printf '"frameTable":{"schema":{"location":0},"data":[[0],[1],[3]]},'
    printf '"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[0,2]]},'
    printf '"samples":{"schema":{"stack":0,"time":1},'
    printf '"data":[[0,10],[0,20],[0,30],[1,40],[1,50],[2,60],[1,70],[1,80],[0,90]]},'
    printf '"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[%s]}}],' "$1"
    printf '"processes":[]}'
}

test_calls_are_those_of_the_report() {
    need_browser
    for markers in '' '[2,35,65,1,0,{"type":"call"}]' '[2,45,65,1,0,{"type":"task"}]' \
        '[2,35,55,1,0,{"type":"call"}],[2,37,75,1,0,{"type":"call"}]'; do
        print_event_loop "$markers" >loop.json
        same_calls loop.json
    done
    # Sleep, the garbage collector, V8's runtime, and a clock that steps back.
    cat >node.cpuprofile <<'END'
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3,4,5]},
{"id":2,"callFrame":{"functionName":"(idle)"}},{"id":3,"callFrame":{"functionName":"(program)"}},
{"id":4,"callFrame":{"functionName":"(garbage collector)"}},
{"id":5,"callFrame":{"functionName":"f","url":"a.js","lineNumber":1},"children":[6,7]},
{"id":6,"callFrame":{"functionName":"Builtin","url":"native V8Runtime","lineNumber":1},"children":[8]},
{"id":7,"callFrame":{"functionName":"g","url":"a.js","lineNumber":1}},
{"id":8,"callFrame":{"functionName":"h","url":"a.js","lineNumber":9}}],
"samples":[5,8,7,8,4,8,3,6,3,3,2,2,4,7,1,7],
"timeDeltas":[1000,3000,2000,-1000,4000,5000,6000,2000,3000,4000,2000,50000,3000,2000,4000,1000],
"startTime":0,"endTime":91000}
END
    same_calls node.cpuprofile
}

test_times_have_no_sixtieth_second_or_minute() {
    need_browser
    local time
    while read -r ms text; do
        one_thread long f '[null,0]' "[0,0],[0,$ms]" >long.json
        expect 0 "$profctl" convert long.json -o long.html
        load "long.html#tab=calls"
        time=$(grep -oE '<div class="row"[^>]*><span class="number"[^>]*>[^<]*' dom | sed 's/.*>//' | head -1)
        [ "$time" = "$text" ] || fail "$ms ms are '$time'"
    done <<'END'
119600 2 min 0 s
119400 1 min 59 s
3599600 1 h 0 min
7199000 2 h 0 min
END
}

# A process that is alone is open: its threads and counters have rows.
test_a_process_that_is_alone_is_shown_with_its_counters() {
    need_browser
    expect 0 "$profctl" run -f cpu,stacks,counters,memory -o alone.json -- "$programs/busy" 0.3
    expect 0 "$profctl" convert alone.json -o alone.html
    load alone.html
    grep -q '<span class="name">busy</span>' dom
    grep -q '<span class="name">malloc</span>' dom
}

# cell NUMBER FUNCTION: of the row of FUNCTION in the table of changes.
cell() {
    grep -oE "<div class=\"row\"[^>]*>(<span[^>]*>[^<]*</span>){5}<span[^>]*>$2</span>" dom | sed 's/<[^>]*>/\n/g' |
        grep . | sed -n "$1p"
}

test_what_has_changed_since_another_profile_is_shown() {
    need_browser
    expect 0 "$profctl" run -o before.json --clock cpu -- "$programs/two_speeds" 300
    expect 0 "$profctl" run -o after.json --clock cpu -- "$programs/two_speeds" 900
    expect 0 "$profctl" convert --diff before.json after.json -o changes.html
    load "changes.html#tab=changes"
    grep -q 'Since before.json: ' dom
    cell 1 changed_part | grep -qE '^\+[4-8][0-9]{2} ms$' || fail "changed_part: $(cell 1 changed_part)"
    grep -oE '<span class="number change more"[^>]*>\+' dom | grep -q more
    cell 5 steady_part | grep -qE '^([5-9][0-9]|100)%$' || fail "steady_part by chance: $(cell 5 steady_part)"
    expect 0 "$profctl" convert --diff before.json --shares after.json -o shares.html
    load "shares.html#tab=changes"
    cell 1 changed_part | grep -qE '^\+[1-4][0-9]\.[0-9]+ %$' || fail "changed_part: $(cell 1 changed_part)"
    # Without another profile nothing is said of it, whatever is asked for.
    expect 0 "$profctl" convert after.json -o alone.html
    load "alone.html#tab=changes"
    grep -q '<button[^>]* id="tab-changes"[^>]* hidden' dom
    grep -q '<div[^>]* id="panel-changes"[^>]* hidden' dom
    expect 2 "$profctl" convert --diff before.json after.json -o changes.collapsed
    one_line stderr
    says 'diff applies only to pages' stderr
    for command in "convert -o shares.html" "view --no-browser"; do
        # shellcheck disable=SC2086
        expect 2 "$profctl" $command --shares after.json
        says 'shares requires --diff BEFORE' stderr
    done
    expect 1 "$profctl" convert --diff nothing.json after.json -o nothing.html
    one_line stderr
    [ ! -e nothing.html ]
}

test_a_profile_without_samples_is_shown() {
    need_browser
    one_thread idle f '[null,0]' '' >empty.json
    echo '{"meta":{},"threads":[]}' >nothing.json
    expect 0 "$profctl" convert empty.json -o empty.html
    for view in flame functions calls markers; do
        load "empty.html#tab=$view"
        [ "$(fact Samples)" = 0 ]
    done
    expect 0 "$profctl" convert nothing.json -o nothing.html
    load nothing.html
    [ "$(fact Processes)" = 0 ]
}

run_tests "$@"
