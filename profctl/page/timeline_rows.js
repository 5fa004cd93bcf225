/* One row of the time line: its graphs, its name, and what the pointer is told of it. */

/* Graphs of rows that were drawn, until the view changes. */
function graphsOf(row, width) {
    const key = row.counter || row.thread || row.process;
    if (!timeline.graphs.has(key)) {
        const threads = row.thread !== undefined ? [row.thread] : row.process.threads;
        timeline.graphs.set(key, row.counter !== undefined
            ? { counter: counterBins(row.counter, state.view, width) }
            : { cpu: cpuBins(threads, state.view, width), marks: markerBins(threads, state.view, width),
                delays: delayBins(threads, state.view, width) });
    }
    return timeline.graphs.get(key);
}

function isRowChosen(row) {
    return row.counter === undefined && state.process === row.process && state.thread === (row.thread || null);
}

function cpuOfRow({ process, thread }) {
    return thread !== undefined ? thread.sampledUs + thread.notSampledUs : process.totalUs;
}

function paintRow(context, row, top, width) {
    const colours = theme.colours, graphs = graphsOf(row, width), base = top + TIMELINE_ROW_PX - 4;
    const { start, end } = row.thread || row.process;
    const from = Math.max(0, xOfTime(start, width)), to = Math.min(width, xOfTime(end, width));
    context.fillStyle = colours.line;
    context.fillRect(0, top + TIMELINE_ROW_PX - 1, LABEL_PX + width, 1);
    if (graphs.counter !== undefined)
        return fillBins(context, graphs.counter, LABEL_PX, base, TIMELINE_ROW_PX - 8, mostOf(graphs.counter) || 1,
                        colours.counter);
    if (to >= 0 && from <= width) {
        context.fillStyle = colours.life;
        context.beginPath();
        context.roundRect(LABEL_PX + from, top + 3, Math.max(1.5, to - from), TIMELINE_ROW_PX - 7, 3);
        context.fill();
    }
    fillBins(context, graphs.cpu, LABEL_PX, base, TIMELINE_ROW_PX - 9, Math.max(1, mostOf(graphs.cpu)), colours.graph);
    paintDelays(context, graphs.delays, top);
    paintMarks(context, graphs.marks, top);
    const last = xOfTime(row.process.end, width);
    if (row.thread === undefined && row.process.fate.kind !== 'live' && last >= 0 && last <= width) {
        context.fillStyle = colours[row.process.fate.kind];
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
        label.append(makeTwist(row));
    label.append(make('span', { class: 'name', text: counter?.name || thread?.name || process.name }));
    if (row.level === 1)
        label.append(...processDetails(process));
    if (row.level === 1)
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
    const { process, thread } = row;
    return state.unit === 'cpu' ? durationText(cpuOfRow(row)) : countText(thread?.count ?? process.sampleCount);
}

/* The title and the lines of a row's tip, at the moment TIME; null: of the name. */
function describeRow({ process, thread, counter }, time, stepUs) {
    const lines = [];
    if (counter !== undefined) {
        lines.push(counter.description || counter.category);
        const at = counter.times.findLastIndex((moment) => moment <= time);
        if (time !== null && at >= 0)
            lines.push(`${amountText(counter.totals[at], counter)} at ${momentText(time, stepUs)}`);
        return [counter.name, lines];
    }
    const command = state.capture.reader.textAt(process.commandLinePlace);
    const samples = countedText(thread?.count ?? process.sampleCount, 'sample');
    lines.push(`${durationText(cpuOfRow({ process, thread }))} of CPU time, ${samples}`,
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
