// Live: new and removed images and comments, as the server sends them. A hidden page closes its streams, and catches up
// on return.

let stream = null;

function follow() {
    stream?.close();
    const id = shownImage();
    if (document.hidden) return;
    // Earlier comments do not change by themselves.
    if (id && !find('#newest')) listen(`/images/${id}/live${location.search}`, showComments);
    else if (id || find('#feed')) listen('/live', checkNews);
}

function listen(address, action) {
    let last;
    stream = new EventSource(address);
    stream.onmessage = ({ data }) => {
        // The first line has the images that were removed last.
        const [ids] = data.split('\n', 1);
        forget(ids.split(' '));
        const rest = data.slice(ids.length + 1);
        if (rest !== last) action(last = rest);
    };
}

// Removed images disappear from the page, and from what this browser keeps for the time without the server.

function forget(ids) {
    const forgotten = storage.get('forgotten') ?? [];
    const news = ids.filter((id) => id && !forgotten.includes(id));
    if (news.length === 0) return;
    storage.set('forgotten', [...news, ...forgotten].slice(0, 200));
    dropKept(news).catch(() => {});
    hideGone();
    // The server has a sentence in place of the image.
    if (news.includes(shownImage())) location.reload();
}

// New images wait behind a button, so that nothing moves under the reader's eyes.

let news = null;

async function checkNews(newest) {
    if (!newest || !find('#news') || find(`#image-${newest}`) && !find('.age')) return;
    // A failure needs no message, because the feed is as it was.
    const { response, body } = await request(`/${location.search}`).catch(() => ({}));
    const main = response?.ok && find('main', parse(body));
    if (main && !find('.age', main)) showFresh(main);
}

// The server's feed takes the place of a saved one, unless that would move what the reader sees.
function showFresh(main) {
    const button = find('#news');
    if (find('.age')) {
        find('.age').remove();
        showBanner('');
        if (scrollY < 200) return replaceMain(main);
    }
    const count = missing('.card', main, find('#feed')).length;
    news = main;
    button.hidden = count === 0;
    button.textContent = count === 1 ? texts.feedNewOne : texts.feedNew.replace('%@', count);
    if (count > 0) announce(button.textContent);
}

function showNews() {
    find('#news').hidden = true;
    if (!mergeFeed(news)) replaceMain(news);
    scrollTo({ top: 0 });
    find('.card h2 a').focus({ preventScroll: true });
}

// The service worker has kept pages and images. Only the place of a removed image leaves a kept page of the feed.
async function dropKept(ids) {
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const key of await cache.keys()) {
            if (ids.includes(new URL(key.url).pathname.split('/')[2])) await cache.delete(key);
            else if (name.startsWith('pages')) {
                const response = await cache.match(key);
                if (!response) continue;
                const html = await response.text();
                const rest = html.replace(/<li class="card[^"]*" id="image-([^"]+)"[^]*?<\/li>/g,
                    (card, id) => (ids.includes(id) ? '' : card));
                if (rest !== html) await cache.put(key, new Response(rest, response));
            }
        }
    }
}

// The server's list takes the place of the shown one. Comments that newer ones have pushed out of it stay at its
// beginning, and those that are not sent yet at its end.

function showComments(html) {
    const list = find('.comments');
    const fresh = parse(html);
    const items = findAll('.comment', fresh);
    const added = missing('.comment', fresh, list);
    const unsent = missing('.pending, .waiting', list, fresh);
    const old = [...list.children];
    // Only a full list has pushed others out.
    const start = find('.comments-link:first-child', fresh)
        ? old.findIndex(({ dataset: { id } }) => id === items[0].dataset.id) : 0;
    const pushed = old.slice(0, Math.max(start, 0));
    if (pushed.length === 0) merge(list.parentElement, [...fresh.body.children]);
    merge(list, [...pushed, ...items, ...unsent]);
    // The server can be reached again.
    showBanner('');
    find('.age')?.remove();
    showAges(list);
    showUnsent();
    // In place of a removed comment, an earlier one appears at the top.
    if (added.includes(items.at(-1))) announce(texts.commentsNew.replace('%@', added.length));
}
