// Adds interaction to the server's pages: loading more, refreshing in place, the way back, reloading failed images,
// dates that stay correct, and commands without leaving the page.
// Every page also works without this script, which uses only elements that the server rendered.

const texts = JSON.parse(document.body.dataset.messages);
const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
const parse = (html) => new DOMParser().parseFromString(html, 'text/html');

// Sends a request; a failure of the connection has a text for the reader.
async function request(address, options) {
    try {
        const response = await fetch(address, options);
        return { response, body: await response.text() };
    } catch {
        throw new Error(texts.connectionError);
    }
}

const post = (form) => request(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });

// Messages

function showBanner(message) {
    const banner = find('#banner');
    if (!message) keepFocus(banner, find('main'));
    banner.hidden = !message;
    find('p', banner).textContent = message;
}

function announce(message) {
    find('#status').textContent = message;
}

// Before an element disappears, the focus goes to another one. Otherwise keyboards would start at the top again.
function keepFocus(element, heir) {
    if (element?.contains(document.activeElement)) heir?.focus({ preventScroll: true });
}

// Dates: the ages of comments and of a saved feed

const ages = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'always' });
const moment = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });
const units = [['year', 31536000], ['month', 2629800], ['week', 604800], ['day', 86400], ['hour', 3600],
    ['minute', 60], ['second', 1]];

function age(date) {
    const seconds = Math.floor((Date.now() - date) / 1000);
    const unit = units.find(([, size]) => seconds >= size);
    return unit ? ages.format(-Math.floor(seconds / unit[1]), unit[0]) : moment.format(0, 'second');
}

function updateAges(root = document) {
    for (const time of findAll('time', root)) {
        const text = age(new Date(time.dateTime));
        time.textContent = (time.dataset.text ?? '%@').replace('%@', () => text);
    }
}

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

const addressOf = (path, form) => `${path}?${new URLSearchParams(new FormData(form))}`;

// Refresh: the current content remains until its replacement has arrived.

async function refresh(form) {
    if (loading?.kind === 'refresh') return;
    const load = begin('refresh');
    showMore('idle');
    showBanner('');
    announce('');
    try {
        const { response, body } = await request(addressOf('/', form), { signal: load.controller.signal });
        if (loading !== load) return;
        const page = parse(body);
        const banner = find('#banner', page);
        const main = find('main', page);
        const failed = !response.ok || !banner || !banner.hidden;
        if (failed) showBanner((banner && find('p', banner).textContent) || texts.unexpectedError);
        // An error page has no feed to show.
        if (!response.ok || !find('#feed', page)) return;
        if (failed && !find('.card', main)) return;
        if (failed || !mergeFeed(main)) replaceMain(main);
        if (!failed) announce(texts.feedRefreshed);
    } catch (error) {
        if (loading === load) showBanner(error.message);
    } finally {
        end(load);
    }
}

function replaceMain(main) {
    keepFocus(find('main'), find('#refresh button'));
    find('main').replaceWith(document.adoptNode(main));
    prepare();
}

// Puts the new first page in front of the pages that are already there, so that the reader keeps the position. Fails if
// they do not join, because images would be missing in between.
function mergeFeed(main) {
    const feed = find('#feed');
    const fresh = findAll('.card', main);
    const old = findAll('.card', feed);
    const joint = old.findLastIndex((card) => fresh.some((other) => other.dataset.id === card.dataset.id));
    if (joint < 0 || find('.age') || old.length <= fresh.length) return false;
    const known = new Map(old.map((card) => [card.dataset.id, card]));
    const first = fresh.map((card) => known.get(card.dataset.id) ?? document.adoptNode(card));
    const kept = new Set([...first, ...old.slice(joint + 1)]);
    for (const card of old) if (!kept.has(card)) { keepFocus(card, find('#refresh button')); card.remove(); }
    for (const [index, card] of first.entries()) {
        if (feed.children[index] !== card) feed.insertBefore(card, feed.children[index] ?? null);
    }
    settleImages(feed);
    return true;
}

// Load more

function showMore(state, message = '') {
    const form = find('#more');
    if (!form) return;
    const button = find('button', form);
    button.dataset.idle ??= button.textContent;
    button.textContent = { idle: button.dataset.idle, busy: button.dataset.busy, failed: button.dataset.again }[state];
    find('.failure', form).textContent = message;
}

async function loadMore(form) {
    if (loading) return;
    const load = begin('more');
    showMore('busy');
    announce('');
    try {
        const { response, body } = await request(addressOf('/feed', form), { signal: load.controller.signal });
        if (loading !== load) return;
        if (!response.ok) {
            const isText = response.headers.get('content-type')?.startsWith('text/plain');
            throw new Error(isText ? body : texts.unexpectedError);
        }
        append(findAll('.card', parse(body)), form);
    } catch (error) {
        if (loading === load) showMore('failed', error.message);
    } finally {
        end(load);
    }
}

function append(cards, form) {
    const feed = find('#feed');
    if (cards.length === 0) {
        keepFocus(form, find('.card:last-child h2 a', feed));
        form.remove();
        announce(texts.feedEnd);
        return;
    }
    const known = new Set(findAll('.card', feed).map((card) => card.dataset.id));
    const news = cards.filter((card) => !known.has(card.dataset.id));
    feed.append(...news.map((card) => document.adoptNode(card)));
    form.elements.after.value = cards[cards.length - 1].dataset.id;
    showMore('idle');
    announce(news.length === 1 ? texts.feedLoadedOne : texts.feedLoadedMore.replace('%@', news.length));
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

// The way back: the loaded pages and the position, for a browser that does not keep the page itself

const storage = {
    get: (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } },
    // Without storage, or if it is full, the way back leads to the first page.
    set: (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* see above */ } },
};

function saveFeed() {
    const feed = find('#feed');
    if (!feed) return;
    const after = find('#more')?.elements.after.value ?? null;
    storage.set('feed', { place: location.pathname + location.search, html: feed.innerHTML, after, top: scrollY });
}

function restoreFeed() {
    const feed = find('#feed');
    const saved = storage.get('feed');
    const isReturn = performance.getEntriesByType('navigation')[0]?.type === 'back_forward' || storage.get('returning');
    storage.set('returning', false);
    if (!feed || !saved || !isReturn || saved.place !== location.pathname + location.search) return;
    const removed = new Set(storage.get('removed') ?? []);
    const cards = findAll('.card', parse(`<ul>${saved.html}</ul>`)).filter((card) => !removed.has(card.dataset.id));
    if (cards.length <= feed.children.length) return scrollTo(0, saved.top);
    feed.replaceChildren(...cards.map((card) => document.adoptNode(card)));
    const more = find('#more');
    if (saved.after && more) more.elements.after.value = saved.after;
    else more?.remove();
    scrollTo(0, saved.top);
}

// Images

function settle(image, state) {
    const frame = image.closest('.frame');
    if (!frame) return;
    frame.dataset.state = state;
    find('.problem', frame).hidden = state !== 'failed';
}

function settleImages(root) {
    for (const image of findAll('.frame img', root)) {
        if (image.complete) settle(image, image.naturalWidth > 0 ? 'loaded' : 'failed');
    }
}

function retry(frame) {
    const image = find('img', frame);
    keepFocus(frame, find('h2 a', frame.parentElement) ?? frame);
    settle(image, 'loading');
    image.src = image.getAttribute('src');
}

// Comments: shown at once, and replaced by the server's list when it has arrived. After a failure, the text remains in
// the form, whose id makes posting it again harmless.

async function comment(form) {
    const button = find('button', form);
    if (button.disabled) return;
    button.disabled = true;
    find('.failure', form).textContent = '';
    const pending = pendingComment(form);
    find('.comments').append(pending);
    const empty = find('#comments .empty');
    empty?.remove();
    try {
        const { response, body } = await post(form);
        const page = parse(body);
        const fresh = find('#comment', page);
        if (!fresh) throw new Error(texts.unexpectedError);
        if (response.ok) {
            fresh.elements.username.value = form.elements.username.value;
            find('#comments').replaceWith(document.adoptNode(find('#comments', page)));
            announce(texts.commentsPosted);
        } else {
            pending.remove();
            if (empty) find('#comments').append(empty);
        }
        form.replaceWith(document.adoptNode(fresh));
        (find('[aria-invalid]', fresh) ?? fresh.elements.message).focus();
    } catch (error) {
        pending.remove();
        if (empty) find('#comments').append(empty);
        find('.failure', form).textContent = error.message;
        button.disabled = false;
        form.elements.message.focus();
    }
}

function pendingComment(form) {
    const { username, message } = form.elements;
    const element = (name, classes, text, ...children) => {
        const made = document.createElement(name);
        made.className = classes;
        made.dir = 'auto';
        made.append(text, ...children);
        return made;
    };
    const avatar = element('span', 'avatar tone-0', [...username.value.trim()][0]?.toUpperCase() ?? '');
    avatar.ariaHidden = 'true';
    const byline = element('p', 'byline', element('b', '', username.value), ` ${age(Date.now())}`);
    return element('li', 'comment pending', avatar, element('div', '', byline, element('p', 'message', message.value)));
}

// Publishing: with progress, which only this kind of request reports

function publish(form) {
    const progress = find('progress', form);
    const button = find('button', form);
    if (button.disabled || !checkFile(form)) return;
    button.disabled = true;
    button.classList.add('busy');
    progress.hidden = false;
    announce(texts.publishBusy);
    const sending = new XMLHttpRequest();
    const fail = (message) => {
        progress.hidden = true;
        button.disabled = false;
        button.classList.remove('busy');
        showBanner(message);
    };
    sending.upload.onprogress = (event) => { if (event.lengthComputable) progress.value = event.loaded / event.total; };
    sending.onerror = () => fail(texts.connectionError);
    sending.onload = () => {
        // The response to a published image redirects to the feed.
        if (sending.status < 400) return location.assign(sending.responseURL);
        const page = parse(sending.responseText);
        const fresh = find('#publish', page);
        fail((find('#banner p', page)?.textContent ?? '') || (fresh ? '' : texts.unexpectedError));
        if (!fresh) return;
        fresh.elements.file.files = form.elements.file.files;
        form.replaceWith(document.adoptNode(fresh));
        find('[aria-invalid]', fresh)?.focus();
    };
    sending.open('POST', form.action);
    sending.send(new FormData(form));
}

function checkFile(form) {
    const input = form.elements.file;
    const file = input.files[0];
    const isImage = !file || input.accept.split(',').includes(file.type);
    const fault = !isImage ? texts.publishUnreadable : file?.size > input.dataset.limit ? texts.publishTooLarge : '';
    find('#file-fault').textContent = fault;
    return !fault;
}

function listenToDrops(area) {
    const input = find('input', area);
    const mark = (event) => {
        event.preventDefault();
        area.classList.toggle('over', event.type === 'dragover');
    };
    for (const type of ['dragover', 'dragleave', 'drop']) area.addEventListener(type, mark);
    area.addEventListener('drop', (event) => {
        if (event.dataTransfer.files.length === 0) return;
        input.files = event.dataTransfer.files;
        checkFile(input.form);
    });
}

// Removing: the command is sent after a few seconds, or when the reader leaves the page, unless the reader undoes it.

let removal = null;

function remove(link) {
    if (removal) return;
    const undo = document.createElement('button');
    undo.type = 'button';
    undo.textContent = link.dataset.undo;
    undo.onclick = () => {
        clearTimeout(removal.timer);
        removal = null;
        note.replaceWith(link);
        link.focus();
        find('.discussion').classList.remove('removed');
        announce('');
    };
    const note = document.createElement('span');
    note.className = 'choices';
    note.append(texts.removePending, undo);
    removal = { address: link.href, timer: setTimeout(() => finish(note, link), 6000) };
    link.replaceWith(note);
    undo.focus();
    find('.discussion').classList.add('removed');
    announce(texts.removePending);
}

function sendRemoval() {
    const { address, timer } = removal;
    clearTimeout(timer);
    removal = null;
    storage.set('removed', [...(storage.get('removed') ?? []), find('.discussion').dataset.id]);
    // The browser finishes the request even if the page is closed.
    return request(address, { method: 'POST', keepalive: true });
}

async function finish(note, link) {
    try {
        const { response, body } = await sendRemoval();
        if (response.ok) return find('.back').click();
        throw new Error(find('#banner p', parse(body))?.textContent || texts.unexpectedError);
    } catch (error) {
        storage.set('removed', []);
        keepFocus(note, find('main'));
        note.replaceWith(link);
        find('.discussion').classList.remove('removed');
        showBanner(error.message);
    }
}

// Events

// These events do not bubble, so they are handled in the capture phase; this includes images that are added later.
document.addEventListener('load', (event) => event.target.matches?.('img') && settle(event.target, 'loaded'), true);
document.addEventListener('error', (event) => event.target.matches?.('img') && settle(event.target, 'failed'), true);

document.addEventListener('click', (event) => {
    const target = event.target.closest('.dismiss, .retry, .again, .back, #remove');
    if (!target) return;
    if (target.matches('.dismiss')) showBanner('');
    if (target.matches('.retry')) retry(target.closest('.frame'));
    // The browser restores the feed itself only for its own way back, not for a link.
    if (target.matches('.back')) storage.set('returning', true);
    const refreshing = find('#refresh');
    if (target.matches('.again') && refreshing) { event.preventDefault(); refresh(refreshing); }
    if (target.matches('#remove')) { event.preventDefault(); remove(target); }
});

document.addEventListener('submit', (event) => {
    const actions = { refresh, more: loadMore, comment, publish };
    const action = actions[event.target.id];
    if (!action) return;
    event.preventDefault();
    action(event.target);
});

document.addEventListener('change', (event) => event.target.id === 'file' && checkFile(event.target.form));

addEventListener('pagehide', () => {
    saveFeed();
    if (removal) sendRemoval();
});

addEventListener('visibilitychange', () => updateAges());
setInterval(updateAges, 30000);

function prepare() {
    updateAges();
    settleImages(document);
    const more = find('#more');
    if (more) watch(more);
    const area = find('.drop');
    if (area) listenToDrops(area);
}

document.documentElement.classList.add('scripted');
restoreFeed();
prepare();
