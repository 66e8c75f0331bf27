// Events

// These events do not bubble, so they are handled in the capture phase; this includes images that are added later.
document.addEventListener('load', (event) => event.target.matches?.('img') && settle(event.target, 'loaded'), true);
document.addEventListener('error', (event) => event.target.matches?.('img') && settle(event.target, 'failed'), true);

document.addEventListener('click', (event) => {
    const target = event.target.closest('.dismiss, .retry, .again, .back, #news');
    if (!target) return;
    if (target.matches('.dismiss')) showBanner('');
    if (target.matches('.retry')) retry(target.closest('.frame'));
    if (target.matches('.back')) returnToFeed(event);
    if (target.matches('#news')) showNews();
    const refreshing = find('#refresh');
    if (target.matches('.again') && refreshing) { event.preventDefault(); refresh(refreshing); }
});

document.addEventListener('submit', (event) => {
    const actions = { refresh, more: loadMore, comment };
    // As a property, the id would be a form's field of this name.
    const action = actions[event.target.getAttribute('id')];
    if (!action) return;
    event.preventDefault();
    action(event.target);
});

addEventListener('pagehide', saveFeed);

addEventListener('visibilitychange', () => { updateAges(); follow(); });
setInterval(updateAges, 30000);

function prepare() {
    hideGone();
    updateAges();
    settleImages(document);
    const more = find('#more');
    if (more) watch(more);
}

document.documentElement.classList.add('scripted');
restoreFeed();
prepare();
follow();
