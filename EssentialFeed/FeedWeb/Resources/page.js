// Adds interaction to the server's pages: loading more, refreshing in place, the way back, reloading failed images,
// dates that stay correct, and comments without leaving the page.
// Every page also works without this script, which uses only elements that the server rendered.

'use strict';

const texts = JSON.parse(document.body.dataset.messages);
const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
const parse = (html) => new DOMParser().parseFromString(html, 'text/html');

// What this window and this browser remember. Without storage, or if it is full, nothing is remembered.

const memory = (name) => ({
    get: (key) => { try { return JSON.parse(window[name].getItem(key)); } catch { return null; } },
    set: (key, value) => { try { window[name].setItem(key, JSON.stringify(value)); } catch {} },
});
const storage = memory('sessionStorage');
const device = memory('localStorage');

// Sends a request; a failure of the connection has a text for the reader.
async function request(address, options) {
    try {
        const response = await fetch(address, options);
        return { response, body: await response.text() };
    } catch {
        throw new Error(texts.connectionError);
    }
}

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

const leave = (item) => keepFocus(item, find('#refresh button, #message'));

// The image that the page is about, if it is about one.
const shownImage = () => find('.discussion')?.dataset.id;

// The elements that another part of the page lacks.
const missing = (selector, from, other) => findAll(selector, from)
    .filter(({ dataset: { id } }) => !find(`[data-id="${id}"]`, other));

// Makes elements the content of a list. In place of those that it has already, by their ids, it keeps its own, so that
// what the reader looks at does not move. A comment that was not sent is replaced by the one that was.
function merge(list, elements) {
    const known = new Map(findAll(':scope > [data-id]:not(.pending, .waiting)', list)
        .map((item) => [item.dataset.id, item]));
    const items = elements.map((item) => known.get(item.dataset.id) ?? item);
    const kept = new Set(items);
    for (const item of [...list.children]) if (!kept.has(item)) { leave(item); item.remove(); }
    for (const [index, item] of items.entries()) {
        if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    }
}

// Dates: the ages of comments and of a saved feed

const root = document.documentElement;
const { lang, dataset: { saved, slow } } = root;
const ages = new Intl.RelativeTimeFormat(lang);
const moment = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(0, 'second');
const wholeDate = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' });
const units = [['year', 31536000], ['month', 2629800], ['week', 604800], ['day', 86400], ['hour', 3600],
    ['minute', 60], ['second', 1]];

// The milliseconds by which this machine's clock is ahead of the server's, if it is wrong by more than a minute. A page
// that was not just sent has an old time of the server.
const isReturn = performance.getEntriesByType('navigation')[0]?.type === 'back_forward';
const { now } = document.body.dataset;
if (now && saved === undefined && !isReturn) storage.set('ahead', Date.now() - Date.parse(now));
const ahead = Math.abs(storage.get('ahead')) > 6e4 ? storage.get('ahead') : 0;
const serverDate = (date) => new Date(date - ahead).toISOString();

function age(date) {
    const seconds = Math.floor((Date.now() - ahead - date) / 1000);
    const unit = units.find(([, size]) => seconds >= size);
    return unit ? ages.format(-Math.floor(seconds / unit[1]), unit[0]) : moment;
}

function showAges(root = document) {
    for (const time of findAll('time', root)) {
        const date = new Date(time.dateTime);
        if (time.dateTime && !time.dataset.text) time.title = wholeDate.format(date);
        time.textContent = (time.dataset.text ?? '%@').replace('%@', () => age(date));
    }
}
