/* The keyboard, and the box that tells of it. */

const keyHelp = [
    ['/', 'search functions'],
    ['F', 'filter processes'],
    ['Esc', 'clear the search, or what is selected'],
    ['1 2 3 4', 'flame graph, functions, calls, markers'],
    ['5', 'changes, in a page of two profiles'],
    ['W S  or  + −', 'zoom the time line'],
    ['A D  or  ← →', 'move along it'],
    ['0', 'all of the time line'],
    ['Enter', 'zoom to what is selected'],
    ['C', 'count CPU time or samples'],
    ['I', 'turn the flame graph upside down'],
    ['Backspace', 'back, in the flame graph'],
    ['T', 'light or dark'],
    ['Drag', 'select a time; all below counts only that'],
    ['Ctrl + wheel', 'zoom where the pointer is'],
];

const keys = {
    begin() {
        const close = make('button', { text: 'Close' });
        close.addEventListener('click', () => byId('keys').close());
        const lines = keyHelp.flatMap(([key, what]) => [make('dt', {}, make('kbd', { text: key })),
                                                        make('dd', { text: what })]);
        byId('keys').append(make('h2', { text: 'Keys' }), make('dl', {}, ...lines), close);
        byId('help').addEventListener('click', () => byId('keys').showModal());
        byId('tabs').addEventListener('keydown', (event) => this.moveTab(event));
        document.addEventListener('keydown', (event) => this.take(event));
    },

    actions: {
        '/': () => byId('search').focus(),
        f: () => byId('filter').focus(),
        1: () => set({ tab: 'flame' }),
        2: () => set({ tab: 'functions' }),
        3: () => set({ tab: 'calls' }),
        4: () => set({ tab: 'markers' }),
        5: () => isOffered('changes') && set({ tab: 'changes' }),
        w: () => zoomView(0.7, (state.view.start + state.view.end) / 2),
        s: () => zoomView(1 / 0.7, (state.view.start + state.view.end) / 2),
        a: () => panView(-0.15),
        d: () => panView(0.15),
        0: () => set({ view: wholeView() }),
        c: () => set({ unit: state.unit === 'cpu' ? 'samples' : 'cpu' }),
        i: () => set({ isInverted: !state.isInverted }),
        t: () => theme.toggle(),
        '?': () => byId('keys').showModal(),
        Enter: () => header.zoomIn(),
        Backspace: () => flame.back(),
        Escape: () => keys.clear(),
    },

    aliases: { '+': 'w', '=': 'w', '-': 's', ArrowLeft: 'a', ArrowRight: 'd' },

    take(event) {
        const isTyping = event.target.matches('input[type="search"], select');
        const isButton = event.target.matches('button');
        if (event.ctrlKey || event.metaKey || event.altKey || state.capture === null || byId('keys').open)
            return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if ((isTyping && key !== 'Escape') || (isButton && key === 'Enter'))
            return;
        const action = this.actions[this.aliases[key] || key];
        if (action === undefined)
            return;
        event.preventDefault();
        tip.hide();
        action();
    },

    /* What was typed goes first, then what was selected. */
    clear() {
        if (document.activeElement.matches('input[type="search"]')) {
            document.activeElement.value = '';
            document.activeElement.dispatchEvent(new Event('input'));
            document.activeElement.blur();
        } else if (state.search !== '') {
            byId('search').value = '';
            set({ search: '' });
        } else {
            header.clear();
        }
    },

    moveTab(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step === undefined)
            return;
        const tabs = tabNames.filter(isOffered);
        const next = tabs[(tabs.indexOf(state.tab) + step + tabs.length) % tabs.length];
        set({ tab: next });
        byId(`tab-${next}`).focus();
        event.preventDefault();
        event.stopPropagation();
    },
};
