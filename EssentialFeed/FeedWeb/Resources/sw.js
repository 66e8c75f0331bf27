// Keeps the pages that the reader has opened, and their images, for the time when the server cannot be reached.
//
// The pages and the assets of one version of the site are kept together, so that no page gets another version's script.

const version = '{{version}}';
const languages = '{{languages}}'.split(' ');
const assets = [`/style.css?v=${version}`, `/page.js?v=${version}`, '/icon.svg'];
const [assetCache, pageCache, imageCache] = [`assets-${version}`, `pages-${version}`, 'images'];
const [pageLimit, imageLimit, imageBytes, timeLimit] = [40, 120, 60e6, 4000];
const offlinePage = (language) => `/offline?lang=${language}`;
const keysOf = async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url));

// Installation: the new version's assets, and again the pages that were kept or are open

addEventListener('install', (event) => event.waitUntil(install()));

async function install() {
    // Without cookies, because these pages are for everyone and must not change the reader's language.
    const pages = languages.map((language) => new Request(offlinePage(language), { credentials: 'omit' }));
    await (await caches.open(assetCache)).addAll([...assets, ...pages]);
    for (const name of await caches.keys()) {
        if (name.startsWith('pages-')) await keepAgain(await (await caches.open(name)).keys()).catch(() => {});
    }
    await skipWaiting();
}

// In the reader's language, because an address with a language would change it.
async function keepAgain(requests) {
    for (const path of new Set(requests.map(({ url }) => new URL(url)).filter(isKept).map(address))) {
        await keep(new URL(path, location), await fetch(path), generation);
    }
}

addEventListener('activate', (event) => event.waitUntil(activate()));

async function activate() {
    for (const name of await caches.keys()) {
        if (![assetCache, pageCache, imageCache].includes(name)) await caches.delete(name);
    }
    await clients.claim();
    // Not awaited, because requests wait for the activation.
    clients.matchAll().then(keepAgain);
}

// Requests, which the pages' security policy limits to this site

addEventListener('fetch', (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== 'GET') {
        // Nobody may see the pages of the reader before.
        if (/^\/sign-(in|out)$/.test(url.pathname)) event.respondWith(forget(request));
    } else if (assets.includes(url.pathname + url.search)) {
        event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
    } else if (/^\/images\/[^/]+\/data$/.test(url.pathname)) {
        event.respondWith(image(url.pathname + url.search, event));
    } else if (request.mode === 'navigate' || isKept(url) && url.pathname === '/feed') {
        event.respondWith(open(url, event));
    } else if (isKept(url)) {
        event.respondWith(load(url, event));
    }
});

// Responds with the server's page, or with the kept one if the server cannot be reached or is slow.
async function open(url, event) {
    const loading = load(url, event);
    event.waitUntil(loading);
    const kept = await keptPage(url);
    const timer = new Promise((resolve) => { if (kept) setTimeout(resolve, timeLimit); });
    const response = await Promise.race([loading, timer]).catch(() => null);
    if (kept && response === undefined) {
        event.waitUntil(tell(event.resultingClientId, loading));
        return new Response((await kept.text()).replace('<html', '<html data-slow'), kept);
    }
    return response ?? kept ?? (event.request.mode === 'navigate' ? offline(url) : Response.error());
}

// Sends the page of a slow server to the window that shows the kept one.
async function tell(id, loading) {
    const html = await loading.then((response) => response.ok && response.text());
    if (html) (await clients.get(id))?.postMessage({ html });
}

async function load(url, event) {
    const began = generation;
    const response = await fetch(event.request);
    // Only this site's pages state their language; a server in front of it responds otherwise.
    if (response.status > 501 && !response.headers.has('content-language')) throw response;
    if (isKept(url)) event.waitUntil(keep(url, response.clone(), began));
    return response;
}

async function offline(url) {
    const tags = [url, ...(await keysOf(pageCache)).reverse()].map(languageOf);
    const language = tags.find((tag) => languages.includes(tag));
    return caches.match(offlinePage(language ?? languages[0]));
}

// Pages: the feed, its further pages, and the pages of images

const isKept = ({ pathname, searchParams }) => /^\/(feed|images\/[^/]+)?$/.test(pathname)
    && [...searchParams.keys()].every((name) => name === 'lang' || name === 'after' && pathname !== '/');
const languageOf = (url) => url.searchParams.get('lang');
const address = ({ pathname, searchParams }) =>
    pathname + (pathname === '/feed' ? `?after=${searchParams.get('after')}` : '');

// The pages that were kept last come last. No search is kept, and the whole feed would not be its result.
async function keptPage(url) {
    if (url.pathname === '/' && ![...url.searchParams.keys()].every((name) => /^(lang|after)$/.test(name))) return;
    const key = (await keysOf(pageCache)).findLast((key) => address(key) === address(url)
        && [null, languageOf(key)].includes(languageOf(url)));
    return key && (await caches.open(pageCache)).match(key);
}

// Advances when a reader signs in or out, so that pages whose load began before are not kept.
let generation = 0;

async function forget(request) {
    generation += 1;
    await caches.delete(pageCache);
    await caches.delete(imageCache);
    const response = await fetch(request);
    // Comments that still wait would be sent with the rights of the next reader.
    if (request.url.includes('/sign-out')) await outbox('readwrite', (store) => store.clear()).catch(() => {});
    return response;
}

async function keep(url, response, began) {
    const language = response.headers.get('content-language');
    if (!language) return;
    const html = await response.text();
    if (began !== generation) return;
    const isPage = url.pathname !== '/feed';
    const isWhole = html.includes('class="banner" hidden') && !html.includes('class="age"') && html.includes(`?v=${version}"`);
    const isGone = [404, 410].includes(response.status);
    if (!isGone && (!response.ok || isPage && !isWhole)) return;

    const cache = await caches.open(pageCache);
    const key = new URL(address(url), location);
    key.searchParams.set('lang', language);
    const beyond = (await keysOf(pageCache)).filter((key) => key.pathname !== '/').slice(0, -pageLimit);
    // Of a removed image nothing remains, in any language.
    for (const old of [key, ...beyond]) await cache.delete(old, { ignoreSearch: isGone });
    if (isGone) return (await caches.open(imageCache)).delete(`${url.pathname}/data`, { ignoreSearch: true });
    // Comments are never kept, except the reader's own that wait.
    const kept = html.replace('<html', `<html data-saved="${new Date().toISOString()}"`)
        .replace(/<(li|p) class="(comment|empty)[^]*?<\/\1>/g, '');
    await cache.put(key, new Response(kept, response));
    // Also the images that were not in view yet, unless the reader saves data.
    if (isPage && !navigator.connection?.saveData) await Promise.allSettled(imagesOf(html).map((path) => image(path)));
    await trimImages();
}

// Images, whose bytes never change

const imagesOf = (html) => [...html.matchAll(/<img[^>]* src="([^"]+)"/g)].map(([, path]) => path.replace('&amp;', '&'));
const loads = new Map();

async function image(path, event) {
    const cache = await caches.open(imageCache);
    const kept = await cache.match(path);
    // A version of an image that was kept is enough for the time without the server, and for a page that prepares for it.
    const other = () => cache.match(path, { ignoreSearch: true });
    const isLoading = [...loads.keys()].some((key) => key.split('?')[0] === path.split('?')[0]);
    if (kept || !event && (isLoading || await other())) return kept;
    const load = loads.get(path) ?? fetch(path);
    if (!loads.has(path)) {
        loads.set(path, load);
        // Wider versions would take the place of many others. Only a substitute for another version has "no-store".
        const lasts = ({ ok, headers }) => ok && headers.get('cache-control') !== 'no-store' && !(/width=(\d+)/.exec(path)?.[1] > 960);
        const storing = load.then((response) => lasts(response) && cache.put(path, response.clone()))
            .catch(() => {}).finally(() => loads.delete(path));
        if (event) event.waitUntil(storing);
        else await storing;
    }
    return load.then((response) => response.clone(), async (error) => await other() ?? Promise.reject(error));
}

// Drops the oldest images, but none of the feed's first page.
async function trimImages() {
    const cache = await caches.open(imageCache);
    const feed = await caches.match('/', { ignoreSearch: true, cacheName: pageCache });
    const pinned = feed ? imagesOf(await feed.text()) : [];
    let bytes = 0;
    for (const [index, key] of (await keysOf(imageCache)).reverse().entries()) {
        bytes += Number((await cache.match(key))?.headers.get('content-length'));
        if ((index >= imageLimit || bytes > imageBytes) && !pinned.some((path) => path.startsWith(key.pathname))) await cache.delete(key);
    }
}

// Comments that wait, when no page is open

addEventListener('sync', (event) => event.waitUntil(sendComments().then((isDone) => {
    // The browser tries again later.
    if (!isDone) throw isDone;
})));
