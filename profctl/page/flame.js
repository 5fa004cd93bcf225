/* The flame graph: what the selected samples were in, as wide as what it adds up to. */

const FRAME_PX = 19;

const flame = {
    zoomed: null,  /* node at the top; null: all */
    trail: [],     /* what was there before */
    rows: null,    /* of the layout; null: to be made */
    focus: null,   /* { row, frame }: of the keyboard */

    begin() {
        this.scroller = byId('flame');
        this.draw = oncePerFrame(() => this.drawNow());
        whenChanged([...selectionMembers, 'capture', 'isInverted'], () => this.restart());
        whenChanged(['search', 'theme', 'tab', 'showsChanges'], this.draw);
        this.scroller.addEventListener('scroll', this.draw);
        new ResizeObserver(() => { this.rows = null; this.drawNow(); }).observe(this.scroller);
        this.scroller.addEventListener('click', (event) => this.click(event));
        this.scroller.addEventListener('mousemove', (event) => this.hover(event));
        this.scroller.addEventListener('mouseleave', () => tip.hide());
        this.scroller.addEventListener('keydown', (event) => this.takeKey(event));
        byId('flame-back').addEventListener('click', () => this.back());
        byId('inverted').addEventListener('change', (event) => set({ isInverted: event.target.checked }));
    },

    tree() {
        return state.isInverted ? invertedTree : uprightTree;
    },

    restart() {
        this.trail = [];
        this.show(null);
    },

    zoom(node) {
        const target = node.parent !== null ? node : null;
        if (target === this.zoomed)
            return;
        this.trail.push(this.zoomed);
        this.show(target);
    },

    back() {
        if (this.trail.length > 0)
            this.show(this.trail.pop());
    },

    show(node) {
        this.zoomed = node;
        this.rows = this.focus = null;
        this.scroller.scrollTop = 0;
        byId('flame-back').disabled = this.trail.length === 0;
        byId('flame-path').textContent = this.zoomed === null ? '' : pathText(this.zoomed);
        byId('inverted').checked = state.isInverted;
        this.draw();
    },

    layout() {
        if (this.rows === null) {
            const root = this.zoomed || this.tree().root();
            this.rows = layoutFlame(this.tree(), root, Math.max(50, this.scroller.clientWidth));
            byId('flame-space').style.height = `${this.rows.length * FRAME_PX + 4}px`;
        }
        return this.rows;
    },

    drawNow() {
        if (state.capture === null || byId('panel-flame').hidden)
            return;
        const rows = this.layout(), { clientWidth, clientHeight, scrollTop } = this.scroller;
        const context = prepareCanvas(byId('flame-canvas'), clientWidth, clientHeight);
        const painter = new FramePainter(context, clientHeight);
        if (weights.whole() === 0)
            return painter.say(emptyReason(), clientWidth);
        const first = Math.floor(scrollTop / FRAME_PX);
        for (let i = first; i < rows.length && i * FRAME_PX < scrollTop + clientHeight; i++) {
            for (const frame of rows[i])
                painter.paint(frame, i * FRAME_PX - scrollTop);
        }
        if (this.focus !== null)
            painter.outline(this.focus.frame, this.focus.row * FRAME_PX - scrollTop);
    },

    find(event) {
        const box = this.scroller.getBoundingClientRect();
        const row = Math.floor((event.clientY - box.top + this.scroller.scrollTop) / FRAME_PX);
        const frame = this.rows?.[row] !== undefined ? frameAt(this.rows[row], event.clientX - box.left) : undefined;
        return frame === undefined ? null : { row, frame };
    },

    click(event) {
        const found = this.find(event);
        if (found !== null)
            this.zoom(found.frame.node === this.zoomed ? this.zoomed.parent : found.frame.node);
    },

    hover(event) {
        const found = this.find(event);
        if (found === null || weights.whole() === 0)
            return tip.hide();
        tip.show(event, nameOfNode(found.frame.node), describeNode(found.frame.node));
    },

    /* Up and down are to callers and callees, left and right to others of the same row. */
    takeKey(event) {
        const rows = this.layout(), { row, frame } = this.focus || { row: 0, frame: rows[0][0] };
        const at = rows[row].indexOf(frame);
        const moves = {
            ArrowUp: () => [row - 1, rows[row - 1]?.find((other) => other.node === frame.node.parent)],
            ArrowDown: () => [row + 1, rows[row + 1]?.find((other) => other.node.parent === frame.node)],
            ArrowLeft: () => [row, rows[row][at - 1]],
            ArrowRight: () => [row, rows[row][at + 1]],
        };
        if (event.key === 'Enter')
            this.zoom(frame.node);
        else if (event.key === 'Backspace')
            this.back();
        else if (moves[event.key] !== undefined)
            this.focusOn(...(this.focus === null ? [0, frame] : moves[event.key]()));
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    },

    focusOn(row, frame) {
        if (frame === undefined)
            return;
        this.focus = { row, frame };
        const top = row * FRAME_PX, { scrollTop, clientHeight } = this.scroller;
        if (top < scrollTop || top + FRAME_PX > scrollTop + clientHeight)
            this.scroller.scrollTop = top - clientHeight / 2;
        byId('flame-focus').textContent = `${nameOfNode(frame.node)}: ${describeNode(frame.node).join(', ')}`;
        this.draw();
    },
};

function nameOfNode(node) {
    return node.name < 0 ? 'all' : state.capture.names[node.name];
}

function describeNode(node) {
    const lines = [`${weights.text(node.weight)}, ${shareText(node.weight, weights.whole())} of what is selected`];
    if (node.stack > 0)
        lines.push(`${weights.text(weights.ofStacks()[node.stack])} in itself`);
    if (state.capture.files[node.name] !== undefined)
        lines.push(state.capture.files[node.name]);
    return [...lines, ...describeChange(nameOfNode(node))];
}

/* The way to NODE, of which the middle is left out when it is long. */
function pathText(node) {
    const names = [];
    for (let at = node; at !== null; at = at.parent)
        names.push(shortened(withoutLibrary(nameOfNode(at)), 36));
    names.reverse();
    return (names.length > 6 ? [...names.slice(0, 2), '…', ...names.slice(-3)] : names).join(' › ');
}

function emptyReason() {
    if (state.capture.sampleCount === 0)
        return 'This capture has no samples.';
    if (state.unit === 'cpu' && !state.capture.knowsCpu)
        return 'This capture does not tell CPU time; choose Samples.';
    return 'Nothing was sampled in what is selected.';
}

class FramePainter {
    constructor(context, height) {
        Object.assign(this, { context, height, isMatch: matchedNames() });
        context.font = '11.5px ui-monospace, "DejaVu Sans Mono", Menlo, monospace';
        context.textBaseline = 'middle';
        this.charPx = context.measureText('mmmmmmmmmm').width / 10;
    }

    paint({ node, x, width }, top) {
        const { context } = this, name = nameOfNode(node);
        const isMatch = this.isMatch !== null && node.name >= 0 && this.isMatch[node.name] === 1;
        context.globalAlpha = this.isMatch === null || isMatch ? 1 : 0.45;
        context.fillStyle = isMatch ? theme.colours.match : node.name < 0 ? theme.colours.life : this.colourOf(name);
        context.fillRect(x, top + 1, Math.max(0.3, width - (width > 3 ? 1 : 0)), FRAME_PX - 1);
        context.globalAlpha = 1;
        const room = Math.floor((width - 8) / this.charPx);
        if (room < 2)
            return;
        const text = name.length <= room ? name : withoutLibrary(name);
        context.fillStyle = isMatch ? '#1b1300' : theme.colours.text;
        context.fillText(text.length <= room ? text : `${text.slice(0, room - 1)}…`, x + 4, top + FRAME_PX / 2 + 1);
    }

    colourOf(name) {
        return state.showsChanges ? changeColour(name) : frameColour(name);
    }

    outline({ x, width }, top) {
        this.context.strokeStyle = theme.colours.accent;
        this.context.lineWidth = 2;
        this.context.strokeRect(x + 1, top + 1, Math.max(2, width - 2), FRAME_PX - 2);
    }

    say(text, width) {
        this.context.font = '13px system-ui, sans-serif';
        this.context.fillStyle = theme.colours.quiet;
        this.context.textAlign = 'center';
        this.context.fillText(text, width / 2, Math.min(60, this.height / 2));
        this.context.textAlign = 'left';
    }
}
