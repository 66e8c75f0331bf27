// Live: new images and comments, as the server sends them. A hidden page closes its stream, and catches up on return.

let stream = null;

function follow() {
    stream?.close();
    stream = null;
    const id = find('.discussion')?.dataset.id;
    if (document.hidden || !(id || find('#news'))) return;
    stream = new EventSource((id ? `/images/${id}/live` : '/live') + location.search);
    stream.onmessage = (event) => (id ? showComments(event.data) : checkNews(event.data));
}

// New images wait behind a button, so that nothing moves under the reader's eyes.

let news = null;

async function checkNews(newest) {
    const isSaved = find('.age');
    if (!newest || (find(`#image-${newest}`) && !isSaved)) return;
    // A failure needs no message, because the feed is as it was.
    const { response, body } = await request(`/${location.search}`).catch(() => ({}));
    const main = response?.ok && find('main', parse(body));
    const button = find('#news');
    if (!main || !button || find('.age', main)) return;
    if (isSaved) {
        isSaved.remove();
        showBanner('');
        return replaceMain(main);
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

// The list of comments is replaced; those that are not sent yet stay at its end.

function showComments(html) {
    const list = find('#comments .list');
    const fresh = parse(html);
    const known = new Set(findAll('.comment', list).map((comment) => comment.dataset.id));
    const all = findAll('.comment', fresh);
    const ids = new Set(all.map((comment) => comment.dataset.id));
    const waiting = findAll('.pending', list).filter((comment) => !ids.has(comment.dataset.id));
    list.replaceChildren(...fresh.body.childNodes);
    if (waiting.length > 0) {
        find('.empty', list)?.remove();
        find('.comments', list).append(...waiting);
    }
    updateAges(list);
    showWaitingComments();
    const count = all.filter((comment) => !known.has(comment.dataset.id)).length;
    if (count > 0) announce(texts.commentsNew.replace('%@', count));
}
