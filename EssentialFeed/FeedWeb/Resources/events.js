// Events

// These events do not bubble, so they are handled in the capture phase; this includes images that are added later.
for (const [type, state] of [['load', 'loaded'], ['error', 'failed']]) {
    document.addEventListener(type, ({ target }) => target.matches?.('img') && settle(target, state), true);
}

addEventListener('click', (event) => {
    const target = event.target.closest('.dismiss, .retry, .again, .back, #news, .byline time');
    if (!target) return;
    // Touch screens have no tooltips.
    if (target.title) target.textContent = target.title;
    if (target.matches('.dismiss')) showBanner('');
    if (target.matches('.retry')) retry(target.closest('.frame'));
    if (target.matches('.back')) returnToFeed(event);
    if (target.matches('#news')) showNews();
    const refreshing = find('#refresh');
    if (target.matches('.again') && refreshing) { event.preventDefault(); refresh(refreshing); }
});

addEventListener('submit', (event) => {
    // As a property, the id would be a form's field of this name.
    const action = { refresh, more: loadMore, comment }[event.target.getAttribute('id')];
    if (!action) return;
    event.preventDefault();
    action(event.target);
});

// On an image's page, keys lead back to the feed and to the images beside it.
addEventListener('keydown', (event) => {
    const selector = { Escape: '.back', ArrowLeft: '.previous', ArrowRight: '.next' }[event.key];
    if (!selector || !find('.stage') || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!event.target.matches('input, textarea')) find(selector)?.click();
    else if (event.key === 'Escape') event.target.blur();
});

// A limit is stated when a text comes near to it.
addEventListener('input', ({ target }) => find('.limit', target.parentElement)?.classList
    .toggle('near', target.value.length > 0.9 * target.maxLength));

addEventListener('pagehide', saveFeed);

addEventListener('visibilitychange', () => { showAges(); follow(); });
setInterval(showAges, 3e4);

function prepare() {
    hideGone();
    showAges();
    settleImages(document);
    const more = find('#more');
    if (more) watch(more);
}

root.classList.add('scripted');
restoreFeed();
prepare();
follow();
