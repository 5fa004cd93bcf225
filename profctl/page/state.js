/* What is shown: set() changes it, and calls those who asked for one of its members. */

const state = {
    capture: null,
    view: null,     /* { start, end }: what of the time line is shown */
    range: null,    /* { start, end }: the time that is selected; null: all */
    process: null,  /* selected; null: all */
    thread: null,   /* of that process; null: all of it */
    unit: 'cpu',    /* or 'samples' */
    search: '',
    tab: 'flame',
    isInverted: false,
    showsChanges: false, /* the flame graph's colours tell what has changed */
    theme: 'light',
};

const listeners = [];

function whenChanged(members, listener) {
    listeners.push({ members, listener });
}

function set(changes) {
    const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
    Object.assign(state, changes);
    for (const { members, listener } of listeners) {
        if (members.some((member) => changed.includes(member)))
            listener();
    }
}

/* The members that say which samples are counted. */
const selectionMembers = ['range', 'process', 'thread', 'unit'];

function selectedThreads() {
    if (state.thread !== null)
        return [state.thread];
    return state.process !== null ? state.process.threads : state.capture.threads;
}

function selectedRange() {
    return state.range || { start: -Infinity, end: Infinity };
}

function wholeView() {
    return { start: state.capture.start, end: state.capture.end };
}

/* Shows START to END, but not more than there is, nor less than 10 µs. */
function setView(start, end) {
    const whole = wholeView(), length = Math.min(Math.max(end - start, 10), whole.end - whole.start);
    start = Math.min(Math.max(start, whole.start), whole.end - length);
    set({ view: { start, end: start + length } });
}

/* By FACTOR, around the moment AT. */
function zoomView(factor, at) {
    const { start, end } = state.view;
    setView(at - (at - start) * factor, at + (end - at) * factor);
}

function panView(share) {
    const by = (state.view.end - state.view.start) * share;
    setView(state.view.start + by, state.view.end + by);
}
