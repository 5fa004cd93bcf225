/* Reads the capture and shows it. What stands behind the page's "#" may say what is seen first:
 * tab=functions, search=…, unit=samples, theme=dark. */

/* Dragged, or by the arrow keys. */
function beginSplitter() {
    const splitter = byId('splitter'), section = byId('timeline');
    const resize = (height) => {
        section.style.height = `${Math.min(Math.max(height, 140), innerHeight - 220)}px`;
    };
    splitter.addEventListener('pointerdown', (event) => splitter.setPointerCapture(event.pointerId));
    splitter.addEventListener('pointermove', (event) => {
        if (splitter.hasPointerCapture(event.pointerId))
            resize(event.clientY - section.getBoundingClientRect().top);
    });
    splitter.addEventListener('keydown', (event) => {
        const step = { ArrowUp: -24, ArrowDown: 24 }[event.key];
        if (step !== undefined) {
            resize(section.clientHeight + step);
            event.preventDefault();
        }
    });
}

function applyHash() {
    const asked = new URLSearchParams(location.hash.slice(1)), changes = {};
    if (tabNames.includes(asked.get('tab')) && isOffered(asked.get('tab')))
        changes.tab = asked.get('tab');
    if (asked.get('unit') === 'samples' || !state.capture.knowsCpu)
        changes.unit = 'samples';
    if (asked.get('inverted') !== null)
        changes.isInverted = true;
    if (asked.get('search') !== null)
        byId('search').value = changes.search = asked.get('search');
    set(changes);
}

async function begin() {
    for (const part of [theme, header, overview, timeline, flame, functionsTable, callsTable, markersTable,
                        comparisonTable, keys])
        part.begin();
    beginSplitter();
    const capture = new Capture(await unpackCapture(byId('capture').textContent.trim()));
    byId('capture').remove();
    set({ capture, view: { start: capture.start, end: capture.end } });
    applyHash();
    byId('message').hidden = true;
    /* Ready when all of it has been drawn once. */
    for (const part of [overview, timeline, flame])
        part.drawNow();
    for (const table of [callsTable, markersTable])
        table.show();
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

begin().catch((error) => {
    byId('message').textContent = `This capture cannot be shown: ${error.message}`;
    document.documentElement.dataset.failed = error.stack;
});
