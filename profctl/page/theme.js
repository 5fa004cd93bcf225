/* Light or dark: what the browser prefers, until somebody chooses. Colours are those of the style sheet, so that
 * canvases and elements have the same. */

const theme = {
    colours: {},

    begin() {
        const preferred = matchMedia('(prefers-color-scheme: dark)');
        const follow = () => this.apply(preferred.matches ? 'dark' : 'light');
        const asked = new URLSearchParams(location.hash.slice(1)).get('theme');
        this.apply(asked === 'dark' || asked === 'light' ? asked : preferred.matches ? 'dark' : 'light');
        if (asked === null)
            preferred.addEventListener('change', follow);
        byId('theme').addEventListener('click', () => this.toggle());
    },

    toggle() {
        this.apply(state.theme === 'dark' ? 'light' : 'dark');
    },

    apply(name) {
        document.documentElement.dataset.theme = name;
        const style = getComputedStyle(document.documentElement);
        for (const colour of ['text', 'quiet', 'line', 'graph', 'life', 'select', 'mark', 'delay', 'counter', 'match',
                              'accent', ...Object.keys(fateKinds)])
            this.colours[colour] = style.getPropertyValue(`--${colour}`).trim();
        frameColours.clear();
        set({ theme: name });
    },
};

/* A frame's colour: one hue for each library, or each way in which names of code without one begin; functions of it
 * are lighter and darker. Which hue follows from the name, so that it is the same in most captures; while there are
 * hues left, no two families of one capture have the same. */
const HUES = 24;
const hues = { ofFamilies: new Map(), taken: new Set() };
const frameColours = new Map();

function hashOf(text) {
    let hash = 2166136261;
    for (let i = 0; i < text.length && i < 200; i++)
        hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    return (hash ^ hash >>> 15) >>> 0;
}

function familyOf(name) {
    const library = libraryOf(name);
    return library !== '' ? library.replace(/[.\-][\d.]+.*$/, '') : (/^[\w$]+/.exec(name) || [name])[0];
}

function hueOf(family) {
    if (!hues.ofFamilies.has(family)) {
        let hue = hashOf(family) % HUES;
        while (hues.taken.has(hue) && hues.taken.size < HUES)
            hue = (hue + 7) % HUES; /* far from its neighbours, and once round */
        hues.taken.add(hue);
        hues.ofFamilies.set(family, hue * 360 / HUES);
    }
    return hues.ofFamilies.get(family);
}

function frameColour(name) {
    let colour = frameColours.get(name);
    if (colour === undefined) {
        const hue = hueOf(familyOf(name)), shade = hashOf(name) % 9;
        colour = state.theme === 'dark' ? `hsl(${hue} 34% ${31 + shade}%)` : `hsl(${hue} 62% ${73 + shade}%)`;
        frameColours.set(name, colour);
    }
    return colour;
}
