// The feed and its images.

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
        const main = find('main', page);
        const age = find('.age', page);
        const failed = !response.ok || !find('#banner[hidden]', page) || age;
        if (failed && !age) showBanner(find('#banner p', page)?.textContent || texts.unexpectedError);
        // An error page has no feed to show.
        if (!response.ok || !find('#feed', page) || failed && !find('.card', main)) return;
        // What is in view does not move when the server cannot be reached.
        if (age && find('.card')) {
            find('.age')?.remove();
            find('#feed').before(age);
            return showAges();
        }
        if (failed || !mergeFeed(main)) replaceMain(main);
        if (!failed) announce(texts.feedRefreshed);
    } catch (error) {
        if (loading === load) showBanner(error.message);
    } finally {
        end(load);
    }
}

function replaceMain(main) {
    leave(find('main'));
    find('main').replaceWith(main);
    prepare();
}

// Puts the new first page in front of the pages that are already there, so that the reader keeps the position. Fails if
// they do not join, because images would be missing in between.
function mergeFeed(main) {
    const feed = find('#feed');
    const fresh = findAll('.card', main);
    const old = findAll('.card', feed);
    const joint = old.findLastIndex(({ id }) => find(`#${id}`, main));
    if (joint < 0 || find('.age') || old.length <= fresh.length) return false;
    merge(feed, [...fresh, ...old.slice(joint + 1)]);
    settleImages(feed);
    return true;
}

// Load more

function showMore(state, message = '') {
    const form = find('#more');
    if (!form) return;
    const button = find('button', form);
    button.textContent = button.dataset[state];
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
        append(parse(body), form);
    } catch (error) {
        if (loading === load) showMore('failed', error.message);
    } finally {
        end(load);
    }
}

function append(page, form) {
    const feed = find('#feed');
    const cards = findAll('.card', page);
    const news = missing('.card', page, feed);
    if (cards.length === 0) {
        keepFocus(form, find('.card:last-child h2 a', feed));
        form.remove();
        announce(texts.feedEnd);
        return;
    }
    feed.append(...news);
    const { id, comments } = cards[cards.length - 1].dataset;
    form.elements.after.value = id;
    // Only the most commented images are paged by their number of comments.
    if (form.elements.after_comments) form.elements.after_comments.value = comments;
    showMore('idle');
    announce(news.length === 1 ? texts.feedLoadedOne : texts.feedLoadedMore.replace('%@', news.length));
    // If a server repeats its page, loading stops, and the button remains.
    if (news.length > 0) watch(form);
    settleImages(feed);
}

// Loads the next page before the end of the feed comes into view, so that nothing in view moves. After a failure, it
// waits until the reader scrolls back.
const nearEnd = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) loadMore(entry.target);
}, { rootMargin: '3000px' });

function watch(form) {
    nearEnd.unobserve(form);
    // Observing again reports the form's position at once, so another page follows one that does not fill the window.
    nearEnd.observe(form);
}

// The way back: the loaded pages and the position, for a browser that does not keep the page itself

// Hides removed images: the server may not have received the removal yet, and a page may have been kept before it.
function hideGone(root = document) {
    const gone = ['removed', 'forgotten'].flatMap((key) => storage.get(key) ?? []);
    for (const card of findAll('.card', root)) {
        if (!gone.includes(card.dataset.id)) continue;
        leave(card);
        card.remove();
    }
}

function saveFeed() {
    const feed = find('#feed');
    if (!feed) return;
    const more = find('#more');
    const next = more && [...new FormData(more)];
    storage.set('feed', { place: location.pathname + location.search, html: feed.innerHTML, next, top: scrollY });
}

function restoreFeed() {
    const feed = find('#feed');
    const saved = storage.get('feed');
    const isBack = isReturn || storage.get('returning');
    storage.set('returning', false);
    if (!feed || !saved || !isBack || saved.place !== location.pathname + location.search) return;
    const page = parse(`<ul>${saved.html}</ul>`);
    hideGone();
    hideGone(page);
    const cards = findAll('.card', page);
    if (cards.length <= feed.children.length) return scrollTo(0, saved.top);
    feed.replaceChildren(...cards);
    const more = find('#more');
    if (!saved.next) more?.remove();
    else if (more) for (const [name, value] of saved.next) more.elements[name].value = value;
    scrollTo(0, saved.top);
}

// The browser restores the feed only for its own way back, not for a link.
function returnToFeed(event) {
    const saved = storage.get('feed');
    const id = shownImage();
    if (!id || !saved?.html.includes(`image-${id}`)) return;
    event.preventDefault();
    storage.set('returning', true);
    location.assign(saved.place);
}
