// Adds interaction to the server's page: loading more, refreshing in place, the banner, and reloading failed images.
// The page also works without this script, which uses only elements that the server rendered.

const texts = document.body.dataset;
const find = (selector) => document.querySelector(selector);

// The load in progress, or null. A load that was replaced here is abandoned: its result is dropped, and it must not end
// its successor.
let loading = null;

function begin(kind) {
    if (loading) {
        loading.controller.abort();
        showBusy(loading, false);
    }
    loading = { kind, controller: new AbortController() };
    showBusy(loading, true);
    return loading;
}

function end(load) {
    if (loading !== load) return;
    showBusy(load, false);
    loading = null;
}

// A load has the name of the form that starts it.
function showBusy(load, isBusy) {
    find('main').ariaBusy = isBusy ? 'true' : null;
    find(`#${load.kind} button`)?.classList.toggle('busy', isBusy);
}

async function get(url, load) {
    try {
        const response = await fetch(url, { signal: load.controller.signal });
        return { response, body: await response.text() };
    } catch {
        throw new Error(texts.connectionError);
    }
}

const addressOf = (path, form) => `${path}?${new URLSearchParams(new FormData(form))}`;
const parse = (html) => new DOMParser().parseFromString(html, 'text/html');

// The banner

function showBanner(message) {
    const banner = find('#banner');
    banner.hidden = !message;
    banner.querySelector('p').textContent = message;
}

// Refresh: the current content remains until its replacement has arrived.

async function refresh(form) {
    if (loading?.kind === 'refresh') return;
    const load = begin('refresh');
    showMore('idle');
    showBanner('');
    try {
        const { body } = await get(addressOf('/', form), load);
        if (loading !== load) return;
        const page = parse(body);
        const banner = page.querySelector('#banner');
        const main = page.querySelector('main');
        const failed = !banner || !banner.hidden;
        if (failed) showBanner(banner?.querySelector('p').textContent || texts.unexpectedError);
        if (main && (!failed || main.querySelector('.card'))) {
            find('main').replaceWith(document.adoptNode(main));
            prepare();
        }
    } catch (error) {
        if (loading === load) showBanner(error.message);
    } finally {
        end(load);
    }
}

// Load more

function showMore(state, message = '') {
    const form = find('#more');
    if (!form) return;
    const button = form.querySelector('button');
    button.dataset.idle ??= button.textContent;
    button.textContent = { idle: button.dataset.idle, busy: button.dataset.busy, failed: button.dataset.again }[state];
    form.querySelector('.failure').textContent = message;
}

async function loadMore(form) {
    if (loading) return;
    const load = begin('more');
    showMore('busy');
    try {
        const { response, body } = await get(addressOf('/feed', form), load);
        if (loading !== load) return;
        if (!response.ok) {
            const isMessage = response.headers.get('Content-Type')?.startsWith('text/plain');
            throw new Error(isMessage ? body : texts.unexpectedError);
        }
        append(parse(body).querySelectorAll('.card'), form);
    } catch (error) {
        if (loading === load) showMore('failed', error.message);
    } finally {
        end(load);
    }
}

function append(cards, form) {
    if (cards.length === 0) return form.remove();
    const feed = find('#feed');
    const known = new Set([...feed.querySelectorAll('.card')].map((card) => card.dataset.id));
    const news = [...cards].filter((card) => !known.has(card.dataset.id));
    feed.append(...news.map((card) => document.adoptNode(card)));
    form.elements.after.value = cards[cards.length - 1].dataset.id;
    showMore('idle');
    // If a server repeats its page, loading stops, and the button remains.
    if (news.length > 0) watch(form);
    settleImages(feed);
}

// Loads the next page shortly before the end of the feed comes into view. After a failure, it waits until the reader
// scrolls back.
const nearEnd = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) loadMore(entry.target);
}, { rootMargin: '400px' });

function watch(form) {
    nearEnd.unobserve(form);
    // Observing again reports the form's position at once, so another page follows one that does not fill the window.
    nearEnd.observe(form);
}

// Images

function settle(image, state) {
    const frame = image.closest('.frame');
    if (!frame) return;
    frame.dataset.state = state;
    frame.querySelector('.problem').hidden = state !== 'failed';
}

function settleImages(root) {
    for (const image of root.querySelectorAll('.frame img')) {
        if (image.complete) settle(image, image.naturalWidth > 0 ? 'loaded' : 'failed');
    }
}

function retry(frame) {
    const image = frame.querySelector('img');
    settle(image, 'loading');
    image.src = image.getAttribute('src');
}

// These events do not bubble, so they are handled in the capture phase; this includes images that are added later.
document.addEventListener('load', (event) => event.target.matches?.('img') && settle(event.target, 'loaded'), true);
document.addEventListener('error', (event) => event.target.matches?.('img') && settle(event.target, 'failed'), true);

document.addEventListener('click', (event) => {
    if (event.target.closest('.dismiss')) showBanner('');
    if (event.target.closest('.retry')) retry(event.target.closest('.frame'));
});

document.addEventListener('submit', (event) => {
    const actions = { refresh, more: loadMore };
    const action = actions[event.target.id];
    if (!action) return;
    event.preventDefault();
    action(event.target);
});

function prepare() {
    settleImages(document);
    const more = find('#more');
    if (more) watch(more);
}

document.documentElement.classList.add('scripted');
prepare();
