// Live: new and removed images and comments, as the server sends them. A hidden page closes its streams, and catches up
// on return.

let stream = null;

function follow() {
    stream?.close();
    const id = find('.discussion')?.dataset.id;
    if (document.hidden) return;
    if (id) listen(`/images/${id}/live${location.search}`, showComments);
    else if (find('#feed')) listen(`/live${location.search}`, (newest) => find('#news') && checkNews(newest));
}

function listen(address, action) {
    let last;
    stream = new EventSource(address);
    stream.onmessage = ({ data }) => {
        // The first line has the images that were removed last.
        const [ids] = data.split('\n', 1);
        forgetImages(ids.split(' '));
        const rest = data.slice(ids.length + 1);
        if (rest !== last) action(last = rest);
    };
}

// Removed images disappear from the page, and from what this browser keeps for the time without the server.

function forgetImages(ids) {
    const forgotten = storage.get('forgotten') ?? [];
    const news = ids.filter((id) => id && !forgotten.includes(id));
    if (news.length === 0) return;
    storage.set('forgotten', [...news, ...forgotten].slice(0, 200));
    dropKept(news).catch(() => {});
    hideGone();
    // The server has a sentence in place of the image.
    if (news.includes(find('.discussion')?.dataset.id)) location.reload();
}

// New images wait behind a button, so that nothing moves under the reader's eyes.

let news = null;

async function checkNews(newest) {
    if (!newest || (find(`#image-${newest}`) && !find('.age'))) return;
    // A failure needs no message, because the feed is as it was.
    const { response, body } = await request(`/${location.search}`).catch(() => ({}));
    const main = response?.ok && find('main', parse(body));
    if (main && find('#news') && !find('.age', main)) showFresh(main);
}

// The server's feed takes the place of a saved one, unless that would move what the reader sees.
function showFresh(main) {
    const button = find('#news');
    if (find('.age')) {
        find('.age').remove();
        showBanner('');
        if (scrollY < 200) return replaceMain(main);
    }
    const count = findAll('.card', main).filter((card) => !find(`#${card.id}`)).length;
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

// The list of the newest comments is replaced; those that are not sent yet stay at its end.

const missing = (selector, from, other) => findAll(selector, from)
    .filter(({ dataset: { id } }) => !find(`[data-id="${id}"]`, other));

function showComments(html) {
    if (find('#newest')) return;
    const list = find('#comments .list');
    const fresh = parse(html);
    const added = missing('.comment', fresh, list);
    // In place of a removed comment, an earlier one appears at the top.
    const isNew = added.at(-1)?.matches(':last-child');
    const waiting = missing('.pending', list, fresh);
    list.replaceChildren(...fresh.body.childNodes);
    if (waiting.length > 0) find('.empty')?.remove();
    find('.comments').append(...waiting);
    // The server can be reached again.
    if (find('.age')) showBanner('');
    find('.age')?.remove();
    updateAges(list);
    showWaitingComments();
    if (isNew) announce(texts.commentsNew.replace('%@', added.length));
}
