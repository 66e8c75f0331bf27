// Adds interaction to the server's pages: loading more, refreshing in place, the way back, reloading failed images,
// dates that stay correct, and comments without leaving the page.
// Every page also works without this script, which uses only elements that the server rendered.

'use strict';

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
