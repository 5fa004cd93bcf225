'use strict';
/* Numbers and times as people read them. Times are in µs throughout the page. */

/* What is rounded is split, so that no minute has sixty seconds. */
function durationText(us) {
    const size = Math.abs(us), sign = us < 0 ? '-' : '', seconds = Math.round(size / 1e6);
    if (seconds >= 3600) {
        const minutes = Math.round(size / 60e6);
        return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
    }
    if (seconds >= 100)
        return `${sign}${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    if (size >= 1e6)
        return `${(us / 1e6).toFixed(2)} s`;
    if (size >= 1e3)
        return `${(us / 1e3).toFixed(size >= 100e3 ? 0 : 1)} ms`;
    return size === 0 ? '0 ms' : `${us.toFixed(0)} µs`;
}

/* A moment of the time line, as exact as STEP_US between two of them needs it. */
function momentText(us, stepUs) {
    if (stepUs >= 1e6)
        return `${(us / 1e6).toFixed(0)} s`;
    if (stepUs >= 1e3 && Math.abs(us) >= 1e6)
        return `${(us / 1e6).toFixed(stepUs >= 100e3 ? 1 : stepUs >= 10e3 ? 2 : 3)} s`;
    if (stepUs >= 1e3)
        return `${(us / 1e3).toFixed(0)} ms`;
    return `${(us / 1e3).toFixed(stepUs >= 100 ? 1 : 3)} ms`;
}

function countText(count) {
    return count.toLocaleString('en-US');
}

function countedText(count, one, many = one + 's') {
    return `${countText(count)} ${count === 1 ? one : many}`;
}

function shareText(part, whole) {
    return whole > 0 ? `${(100 * part / whole).toFixed(1)}%` : '–';
}

/* "work (in libfoo.so)" is of libfoo.so; what has no library says ''. */
function libraryOf(name) {
    const at = name.lastIndexOf(' (in ');
    return at > 0 && name.endsWith(')') ? name.slice(at + 5, -1) : '';
}

function withoutLibrary(name) {
    const at = name.lastIndexOf(' (in ');
    return at > 0 && name.endsWith(')') ? name.slice(0, at) : name;
}

function processText(process) {
    return process.pid < 0 ? process.name : `${process.name} (${process.pid})`;
}

function threadText(thread) {
    return `${processText(thread.process)}: ${thread.name}`;
}

function shortened(text, length) {
    return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/* Numbers that a counter has, in the unit that its description or category tells. */
function amountText(amount, counter) {
    if (counter.category === 'Memory') {
        const units = ['B', 'KB', 'MB', 'GB', 'TB'];
        let unit = 0;
        while (Math.abs(amount) >= 1024 && unit < units.length - 1) {
            amount /= 1024;
            unit++;
        }
        return `${amount.toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
    }
    return Number.isInteger(amount) ? countText(amount) : amount.toPrecision(4);
}
