/* One row of the time line: its graphs, its name, and what the pointer is told of it. */

/* Graphs of rows that were drawn, until the view changes. */
function graphsOf(row, width) {
    const key = row.counter || row.thread || (isLane(row) ? row.processes : row.process);
    if (!timeline.graphs.has(key))
        timeline.graphs.set(key, row.counter !== undefined ? { counter: counterBins(row.counter, state.view, width) }
                                                           : graphsOfThreads(row, width));
    return timeline.graphs.get(key);
}

function graphsOfThreads(row, width) {
    const threads = threadsOf(row);
    return { cpu: cpuBins(threads, state.view, width, row.processes), marks: markerBins(threads, state.view, width),
             delays: delayBins(threads, state.view, width) };
}

function threadsOf({ processes, thread }) {
    return thread !== undefined ? [thread] : processes.flatMap((process) => process.threads);
}

function isRowChosen({ processes, process, thread = null, counter }) {
    return counter === undefined && state.thread === thread &&
           (processes === undefined ? state.process === process : processes.includes(state.process));
}

function isLane({ processes }) {
    return processes !== undefined && processes.length > 1;
}

function sumOf(list, amount) {
    return list.reduce((sum, item) => sum + amount(item), 0);
}

function cpuOfRow({ processes, thread }) {
    return thread !== undefined ? thread.sampledUs + thread.notSampledUs
                                : sumOf(processes, (process) => process.totalUs);
}

function samplesOfRow({ processes, thread }) {
    return thread !== undefined ? thread.count : sumOf(processes, (process) => process.sampleCount);
}

function paintRow(context, row, top, width) {
    const colours = theme.colours, graphs = graphsOf(row, width), base = top + TIMELINE_ROW_PX - 4;
    context.fillStyle = colours.line;
    context.fillRect(0, top + TIMELINE_ROW_PX - 1, LABEL_PX + width, 1);
    if (graphs.counter !== undefined)
        return fillBins(context, graphs.counter, LABEL_PX, base, TIMELINE_ROW_PX - 8, mostOf(graphs.counter) || 1,
                        colours.counter);
    paintLives(context, row.thread !== undefined ? [row.thread] : row.processes, top, width);
    fillBins(context, graphs.cpu, LABEL_PX, base, TIMELINE_ROW_PX - 9, Math.max(1, mostOf(graphs.cpu)), colours.graph);
    paintDelays(context, graphs.delays, top);
    paintMarks(context, graphs.marks, top);
    if (row.thread === undefined)
        paintEnds(context, row, top, width);
}

/* When the LIVING, processes or a thread, were there. */
function paintLives(context, living, top, width) {
    context.fillStyle = theme.colours.life;
    context.beginPath();
    for (const { start, end } of living) {
        const from = Math.max(0, xOfTime(start, width)), to = Math.min(width, xOfTime(end, width));
        if (to >= 0 && from <= width)
            context.roundRect(LABEL_PX + from, top + 3, Math.max(1.5, to - from), TIMELINE_ROW_PX - 7, 3);
    }
    context.fill();
}

/* How processes ended; in a lane those that did not end well, which the others would hide. */
function paintEnds(context, row, top, width) {
    const quiet = isLane(row) ? ['live', 'ended', 'execed'] : ['live'];
    for (const { start, end, fate } of row.processes) {
        const from = Math.max(0, xOfTime(start, width)), last = xOfTime(end, width);
        if (quiet.includes(fate.kind) || last < 0 || last > width)
            continue;
        context.fillStyle = theme.colours[fate.kind];
        context.fillRect(LABEL_PX + Math.min(width - 3, Math.max(last, from + 1.5)), top + 3, 3, TIMELINE_ROW_PX - 7);
    }
}

/* From the top down: a quarter of a second fills the row. */
function paintDelays(context, delays, top) {
    const height = TIMELINE_ROW_PX - 7;
    context.fillStyle = theme.colours.delay;
    for (let i = 0; i < delays.length; i++) {
        if (delays[i] > 0)
            context.fillRect(LABEL_PX + i, top + 3, 1, Math.max(1, Math.min(1, delays[i] / 250e3) * height));
    }
}

function paintMarks(context, marks, top) {
    context.fillStyle = theme.colours.mark;
    for (let i = 0; i < marks.length; i++) {
        if (marks[i] !== 0)
            context.fillRect(LABEL_PX + i, top + TIMELINE_ROW_PX - 4, 1, 3);
    }
}

function makeTwist(row) {
    const isOpen = timeline.opened.has(row.process);
    const twist = make('button', { class: 'twist', text: isOpen ? '▾' : '▸', tabindex: '-1',
                                   'aria-label': isOpen ? 'Close' : 'Show threads and counters' });
    twist.addEventListener('click', () => timeline.toggle(row.process));
    return twist;
}

function makeLabel(row, index, top) {
    const { process, thread, counter } = row, isChosen = isRowChosen(row);
    const marks = [isChosen ? ' chosen' : '', index === timeline.active ? ' active' : ''];
    const label = make('div', { class: `label level-${row.level}${marks.join('')}`, role: 'treeitem',
                                id: `row-${index}`, 'aria-level': String(row.depth + row.level),
                                'aria-selected': String(isChosen) });
    label.style.top = `${top}px`;
    label.style.paddingLeft = `${6 + row.depth * 12 + (row.level - 1) * 18}px`;
    if (row.level === 1)
        label.append(isLane(row) ? make('span', { class: 'twist' }) : makeTwist(row));
    label.append(make('span', { class: 'name', text: counter?.name || thread?.name || process.name }));
    if (isLane(row))
        label.append(make('span', { class: 'pid', text: `${countText(row.processes.length)} processes` }));
    else if (row.level === 1)
        label.append(...processDetails(process));
    if (row.level === 1 && !isLane(row))
        label.setAttribute('aria-expanded', String(timeline.opened.has(process)));
    if (counter === undefined)
        label.append(make('span', { class: 'cpu', text: weightOfRow(row) }));
    return label;
}

function processDetails({ pid, fate }) {
    return [make('span', { class: 'pid', text: pid < 0 ? '' : String(pid) }),
            make('span', { class: `fate ${fate.kind}`, text: fate.kind === 'ended' ? '' : fate.text })];
}

function weightOfRow(row) {
    return state.unit === 'cpu' ? durationText(cpuOfRow(row)) : countText(samplesOfRow(row));
}

function useText(row) {
    return `${durationText(cpuOfRow(row))} of CPU time, ${countedText(samplesOfRow(row), 'sample')}`;
}

/* Of its name; PROCESS is the one that used most. */
function describeLane({ processes, process }) {
    const first = processes[0].start, last = processes[processes.length - 1].end;
    return [`${process.name}: ${countText(processes.length)} processes`,
            [useText({ processes }), `${momentText(first, 1e3)} to ${momentText(last, 1e3)}`,
             `most by ${processText(process)}: ${durationText(process.totalUs)}`,
             state.capture.reader.textAt(process.commandLinePlace).slice(0, 300)]];
}

/* The title and the lines of a row's tip, at the moment TIME; null: of the name. */
function describeRow(row, time, stepUs) {
    const { process, thread, counter } = row, lines = [];
    if (isLane(row) && time === null)
        return describeLane(row);
    if (counter !== undefined) {
        lines.push(counter.description || counter.category);
        const at = counter.times.findLastIndex((moment) => moment <= time);
        if (time !== null && at >= 0)
            lines.push(`${amountText(counter.totals[at], counter)} at ${momentText(time, stepUs)}`);
        return [counter.name, lines];
    }
    const command = state.capture.reader.textAt(process.commandLinePlace);
    lines.push(useText({ processes: [process], thread }),
               `${momentText(process.start, 1e3)} to ${momentText(process.end, 1e3)}; ${process.fate.text}`);
    if (command !== '')
        lines.push(command.slice(0, 300));
    if (time !== null)
        lines.push(...momentLines(thread !== undefined ? [thread] : process.threads, time, stepUs));
    return [thread !== undefined ? threadText(thread) : processText(process), lines];
}

/* What happens at TIME: markers, and how late events are. */
function momentLines(threads, time, stepUs) {
    const { markerStart, markerEnd, markerName, names } = state.capture, lines = [`at ${momentText(time, stepUs)}`];
    const slack = 3 * stepUs, delay = delayBins(threads, { start: time - slack, end: time + slack }, 1)[0];
    if (delay > 0)
        lines.push(`events are late by ${durationText(delay)}`);
    for (const { firstMarker, markerCount } of threads) {
        for (let i = firstMarker; i < firstMarker + markerCount && lines.length < 8; i++) {
            if (markerStart.items[i] <= time + slack && markerEnd.items[i] >= time - slack)
                lines.push(`◆ ${names[markerName.items[i]]} ${markerDetails(i)}`.slice(0, 200));
        }
    }
    return lines;
}
