/* Elements. Whatever a capture says becomes text, never markup. */

function byId(id) {
    return document.getElementById(id);
}

/* make('td', { class: 'number', text: '7' }, child…) */
function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'text')
            element.textContent = value;
        else if (value !== undefined)
            element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/* Fits CANVAS to WIDTH × HEIGHT, and returns its context, empty and in CSS pixels. */
function prepareCanvas(canvas, width, height) {
    const scale = window.devicePixelRatio || 1;
    const wide = Math.max(1, Math.round(width * scale)), high = Math.max(1, Math.round(height * scale));
    if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide;
        canvas.height = high;
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}

/* Calls DRAW once before the next picture, however often the function that it returns is called. */
function oncePerFrame(draw) {
    let isAsked = false;
    return () => {
        if (isAsked)
            return;
        isAsked = true;
        requestAnimationFrame(() => {
            isAsked = false;
            draw();
        });
    };
}

/* The box beside the pointer: a title and lines. */
const tip = {
    show(event, title, lines) {
        const box = byId('tip');
        box.replaceChildren(make('b', { text: title }), ...lines.map((line) => make('div', { text: line })));
        box.hidden = false;
        const right = event.clientX + 14 + box.offsetWidth > innerWidth;
        const below = event.clientY + 16 + box.offsetHeight > innerHeight;
        box.style.left = `${Math.max(4, right ? event.clientX - box.offsetWidth - 8 : event.clientX + 14)}px`;
        box.style.top = `${Math.max(4, below ? event.clientY - box.offsetHeight - 10 : event.clientY + 16)}px`;
    },
    hide() {
        byId('tip').hidden = true;
    },
};
