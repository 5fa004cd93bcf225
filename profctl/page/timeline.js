/* Processes as rows on the time line, with their threads and counters where somebody opens one. Only the rows that
 * are seen are drawn. */

const TIMELINE_ROW_PX = 24;

/* --- Which rows there are --- */

/* PROCESSES in the order of their tree, each with its depth; those without a parent here are roots. */
function inTreeOrder(processes) {
    const byPid = new Map(), children = new Map(), roots = [], ordered = [], done = new Set();
    const byStart = [...processes].sort((a, b) => a.start - b.start);
    for (const process of byStart)
        listAt(byPid, process.pid).push(process);
    for (const process of byStart) {
        const parents = (byPid.get(process.parentPid) || []).filter((parent) => parent !== process);
        const parent = parents.filter((candidate) => candidate.start <= process.start).pop() || parents[0];
        if (parent === undefined)
            roots.push(process);
        else
            listAt(children, parent).push(process);
    }
    /* What nobody's tree has is in a circle, which only a damaged file can say. */
    for (const root of [...roots, ...byStart]) {
        const open = [{ process: root, depth: 0 }];
        while (open.length > 0) {
            const { process, depth } = open.pop();
            if (done.has(process))
                continue;
            done.add(process);
            process.depth = depth;
            ordered.push(process);
            for (const child of [...(children.get(process) || [])].reverse())
                open.push({ process: child, depth: depth + 1 });
        }
    }
    return ordered;
}

const processOrders = {
    tree: inTreeOrder,
    start: (processes) => [...processes].sort((a, b) => a.start - b.start),
    cpu: (processes) => [...processes].sort((a, b) => b.totalUs - a.totalUs),
    name: (processes) => [...processes].sort((a, b) => a.name.localeCompare(b.name) || a.start - b.start),
};

function rowsOf(process, isTree) {
    const depth = isTree ? Math.min(process.depth, 12) : 0;
    const rows = [{ process, processes: [process], depth, level: 1 }];
    if (timeline.opened.has(process)) {
        for (const thread of process.threads)
            rows.push({ process, thread, depth, level: 2 });
        for (const counter of process.counters)
            rows.push({ process, counter, depth, level: 2 });
    }
    return rows;
}

function isFiltered(process, filter) {
    return filter === '' || process.name.toLowerCase().includes(filter) || String(process.pid) === filter ||
           state.capture.reader.textAt(process.commandLinePlace).toLowerCase().includes(filter);
}

/* A lane of one process is that process. */
function rowsOfLane(processes) {
    return processes.length === 1 ? rowsOf(processes[0], false)
                                  : [{ process: busiestOf(processes), processes, depth: 0, level: 1 }];
}

function rowsInOrder(processes, order) {
    return order === 'lanes' ? inLanes(processes).flatMap(rowsOfLane)
        : processOrders[order](processes).flatMap((process) => rowsOf(process, order === 'tree'));
}

/* --- The rows themselves --- */

const timeline = {
    opened: new Set(),
    rows: [],
    active: 0,
    graphs: new Map(),

    begin() {
        this.scroller = byId('rows');
        this.draw = oncePerFrame(() => this.drawNow());
        whenChanged(['view', 'unit'], () => this.graphs.clear());
        whenChanged(['view', 'range', 'unit', 'theme', 'process', 'thread'], this.draw);
        whenChanged(['capture'], () => this.openFew());
        this.scroller.addEventListener('scroll', this.draw);
        new ResizeObserver(() => { this.graphs.clear(); this.drawNow(); }).observe(this.scroller);
        byId('filter').addEventListener('input', () => this.list());
        byId('order').addEventListener('change', () => this.list());
        selectByDragging(this.scroller, () => LABEL_PX, (event) => this.click(event));
        this.scroller.addEventListener('mousemove', (event) => this.hover(event));
        this.scroller.addEventListener('mouseleave', () => tip.hide());
        this.scroller.addEventListener('keydown', (event) => this.takeKey(event));
    },

    /* Of a few processes all is seen at once, and of very many as little as tells something. */
    openFew() {
        if (state.capture.processes.length <= 3)
            this.opened = new Set(state.capture.processes);
        if (state.capture.processes.length > MOST_PROCESSES_APART)
            byId('order').value = 'lanes';
        this.list();
    },

    list() {
        const filter = byId('filter').value.trim().toLowerCase(), order = byId('order').value;
        const shown = state.capture.processes.filter((process) => isFiltered(process, filter));
        this.rows = rowsInOrder(shown, order);
        this.active = Math.min(this.active, Math.max(0, this.rows.length - 1));
        byId('rows-space').style.height = `${this.rows.length * TIMELINE_ROW_PX}px`;
        const all = countText(state.capture.processes.length);
        byId('row-count').textContent = filter === '' ? '' : `${countText(shown.length)} of ${all}`;
        this.draw();
    },

    drawNow() {
        if (state.view === null)
            return;
        const { clientWidth, clientHeight, scrollTop } = this.scroller, width = Math.max(50, clientWidth - LABEL_PX);
        const context = prepareCanvas(byId('rows-canvas'), clientWidth, clientHeight), labels = [];
        context.fillStyle = theme.colours.line;
        forEachTick(width, (x) => context.fillRect(Math.round(LABEL_PX + x), 0, 1, clientHeight));
        const first = Math.floor(scrollTop / TIMELINE_ROW_PX);
        for (let i = first; i < this.rows.length && i * TIMELINE_ROW_PX < scrollTop + clientHeight; i++) {
            const top = i * TIMELINE_ROW_PX - scrollTop;
            paintRow(context, this.rows[i], top, width);
            labels.push(makeLabel(this.rows[i], i, top));
        }
        shadeOutside(context, LABEL_PX, width, clientHeight);
        byId('rows-labels').replaceChildren(...labels);
        this.scroller.setAttribute('aria-activedescendant', `row-${this.active}`);
    },

    rowAt(event) {
        const y = event.clientY - this.scroller.getBoundingClientRect().top + this.scroller.scrollTop;
        return Math.floor(y / TIMELINE_ROW_PX);
    },

    click(event) {
        const index = this.rowAt(event);
        if (this.rows[index] !== undefined) {
            this.active = index;
            this.choose(this.rowUnder(event, this.rows[index]));
        }
    },

    /* ROW as that of the process of its lane that is under the pointer. */
    rowUnder(event, row) {
        const time = this.timeUnder(event);
        return row.processes === undefined || time === null ? row
            : { ...row, process: processNear(row.processes, time) };
    },

    /* null: on the names. */
    timeUnder(event) {
        const x = event.clientX - this.scroller.getBoundingClientRect().left - LABEL_PX;
        return x < 0 ? null : timeAtX(x, this.scroller.clientWidth - LABEL_PX);
    },

    /* What is chosen already is given up again. */
    choose({ process, thread = null }) {
        const isChosen = state.process === process && state.thread === thread;
        set(isChosen ? { process: null, thread: null } : { process, thread });
    },

    toggle(process, isOpen = !this.opened.has(process)) {
        if (isOpen)
            this.opened.add(process);
        else
            this.opened.delete(process);
        this.list();
    },

    move(steps) {
        this.active = Math.max(0, Math.min(this.rows.length - 1, this.active + steps));
        const top = this.active * TIMELINE_ROW_PX, { scrollTop, clientHeight } = this.scroller;
        if (top < scrollTop)
            this.scroller.scrollTop = top;
        else if (top + TIMELINE_ROW_PX > scrollTop + clientHeight)
            this.scroller.scrollTop = top + TIMELINE_ROW_PX - clientHeight;
        this.draw();
    },

    takeKey(event) {
        const row = this.rows[this.active], page = Math.floor(this.scroller.clientHeight / TIMELINE_ROW_PX) - 1;
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
        if (row === undefined || event.target !== this.scroller)
            return;
        if (steps[event.key] !== undefined)
            this.move(steps[event.key]);
        else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && !isLane(row))
            this.toggle(row.process, event.key === 'ArrowRight');
        else if (event.key === 'Enter' || event.key === ' ')
            this.choose(row);
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    },

    hover(event) {
        const row = this.rows[this.rowAt(event)];
        if (row === undefined || event.buttons !== 0)
            return tip.hide();
        const perPixel = (state.view.end - state.view.start) / (this.scroller.clientWidth - LABEL_PX);
        tip.show(event, ...describeRow(this.rowUnder(event, row), this.timeUnder(event), perPixel));
    },
};
