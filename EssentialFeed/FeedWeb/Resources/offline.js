// Without the server: pages that the service worker has kept, and comments that wait.

if (saved) {
    const line = find('.kept');
    line.hidden = false;
    line.className = 'age';
    const time = find('time', line);
    time.dateTime = serverDate(Date.parse(saved));
    if (slow !== undefined) time.dataset.text = texts.pageSlow;
    find('#comments .list')?.append(parse(`<p class="empty">${texts.commentsUnsaved}`).body.firstChild);
}

// The page of a slow server has arrived. What the reader looks at or writes stays.
navigator.serviceWorker?.addEventListener('message', ({ data: { html } }) => {
    const main = find('main', parse(html));
    if (!main || !find('.age')) return;
    if (find('#feed')) return showFresh(main);
    showComments(find('#comments .list', main).innerHTML);
});

const path = new URL(find('#comment')?.action ?? location).pathname;

// A comment is stored, shown, and then sent. If the server refuses it at once, the form shows the reason.
async function comment(form) {
    const { username, message } = form.elements;
    for (const field of [username, message]) field.value = field.value.trim() && field.value;
    // After a second click, there is nothing to post.
    if (!message.value && results.size || !form.reportValidity()) return;
    device.set('name', username.value);
    const comment = { path, username: username.value, message: message.value, date: Date.now() };
    // Before anything is awaited: what the reader writes from now on is another comment.
    message.value = '';
    message.focus();
    try {
        // Not the form's id, because a kept page shows its form again.
        comment.id = crypto.randomUUID().toUpperCase();
        results.set(comment.id);
        comment.order = await keepComment(comment);
    } catch {
        // Without storage, or with plain http between machines, the browser submits the form.
        message.value = comment.message;
        return form.submit();
    }
    await sendWaiting();
    const result = results.get(comment.id);
    results.delete(comment.id);
    if (!result) return announce(texts.commentsWaiting);
    // A form without a fault stays, because the reader may be writing.
    if (result.isSent && !find('#comment .failure:not(:empty)')) return;
    const fresh = find('#comment', parse(result.page));
    if (!fresh) return;
    if (!result.isSent) await dropComment(comment).then(showUnsent);
    const field = fresh.elements.message;
    field.value = `${field.value}\n${find('#message').value}`.trim();
    find('#comment').replaceWith(fresh);
    fillName();
    (find('[aria-invalid]', fresh) ?? field).focus();
}

// The results of the comments that this page sends.
const results = new Map();

let sending, nextSending, delay = 5e3;

// Sends all comments that wait.
async function sendWaiting() {
    clearTimeout(nextSending);
    const isDone = await sendComments((comment, outcome) => {
        sending = outcome ? null : comment.id;
        if (results.has(comment.id)) results.set(comment.id, outcome);
        if (outcome?.isSent && comment.path === path) showSent(parse(outcome.page), comment.id);
        return showUnsent();
    }).catch(() => true);
    sending = null;
    await showUnsent();
    if (isDone) delay = 5e3;
    else {
        nextSending = setTimeout(sendWaiting, delay);
        delay = Math.min(2 * delay, 6e4);
        navigator.serviceWorker?.ready.then(({ sync }) => sync?.register('comments')).catch(() => {});
    }
}

// The page after a comment lacks the other comments if only the page's server could be reached.
function showSent(page, id) {
    const newest = find('#newest');
    const isWaiting = find(`.pending[data-id="${id}"]`, page);
    if (find('#banner', page)?.hidden) {
        showComments(find('#comments .list', page).innerHTML);
        if (newest) {
            history.replaceState(null, '', newest);
            follow();
        }
    } else {
        for (const item of findAll('.pending')) item.remove();
        find('.comments').append(...findAll('.pending', page));
        showAges();
    }
    announce(isWaiting ? texts.commentsWaiting : texts.commentsPosted);
    find('.comment:last-child')?.scrollIntoView({ block: 'nearest' });
}

// The reader's name stays in this browser.
function fillName() {
    const field = find('#username');
    if (field) field.value ||= device.get('name') ?? '';
}

// Appends the comments that wait to the list, or updates them there. Call it after the list was replaced.
async function showUnsent() {
    const kept = (await keptComments().catch(() => [])).filter((comment) => comment.path === path);
    const old = new Set(findAll('.comments .waiting'));
    for (const comment of kept) {
        // The server's list may have it already.
        let item = find(`[data-id="${comment.id}"]`);
        if (item && !old.delete(item)) continue;
        if (!item) find('.comments').append(item = waitingComment(comment));
        const note = find('.note', item);
        const failure = comment.failure && parse(`${texts.commentsFailed}: ${comment.failure}`).body.textContent;
        if (failure && note.textContent !== failure) announce(failure);
        note.textContent = failure || (comment.id === sending ? texts.commentsSending : texts.commentsWaiting);
        note.classList.toggle('failure', !!failure);
    }
    for (const item of old) {
        keepFocus(item, find('#message'));
        item.remove();
    }
}

function waitingComment(comment) {
    const item = find('#waiting').content.firstElementChild.cloneNode(true);
    const { id, username, message } = comment;
    const texts = { '.avatar': [...username.trim()][0].toUpperCase(), b: username, '.message': message };
    for (const selector in texts) find(selector, item).textContent = texts[selector];
    find('time', item).dateTime = serverDate(comment.date);
    item.dataset.id = id;
    const [retry, discard] = findAll('button', item);
    retry.onclick = () => keepComment({ ...comment, failure: '' }).then(sendWaiting);
    discard.onclick = () => dropComment(comment).then(showUnsent);
    showAges(item);
    return item;
}

// Another window, or the service worker, has stored, sent or dropped a comment.
windows.onmessage = showUnsent;
for (const type of ['online', 'visibilitychange']) addEventListener(type, sendWaiting);
addEventListener('load', () => navigator.serviceWorker?.register('/sw.js').catch(() => {}));
fillName();
sendWaiting();
