// The comments that wait in this browser until the server has received them, in the order of writing. The page and the
// service worker share this part.

const windows = new BroadcastChannel('comments');

// Runs one action on the stored comments. After a change, the other windows show them again.
const outbox = (mode, action) => new Promise((resolve, reject) => {
    const opening = indexedDB.open('feed');
    const options = { keyPath: 'order', autoIncrement: true };
    opening.onupgradeneeded = () => opening.result.createObjectStore('comments', options);
    opening.onerror = reject;
    opening.onsuccess = () => {
        // A browser that stops at once must not lose what the page shows as stored.
        const transaction = opening.result.transaction('comments', mode, { durability: 'strict' });
        const request = action(transaction.objectStore('comments'));
        transaction.onabort = reject;
        transaction.oncomplete = () => {
            opening.result.close();
            if (mode === 'readwrite') windows.postMessage('');
            resolve(request.result);
        };
    };
});
const keptComments = () => outbox('readonly', (store) => store.getAll());
const keepComment = (comment) => outbox('readwrite', (store) => store.put(comment));
const dropComment = (comment) => outbox('readwrite', (store) => store.delete(comment.order));

// Sends the comments in order, in one window at a time, and stops when the server cannot be reached. Calls `report`
// before each comment, and again with the result. Returns whether none had to be left waiting.
//
// A comment may arrive although its response is lost. The server ignores the repetition, because the id is the same.
const sendComments = async (report) => navigator.locks.request('comments', async () => {
    for (let last = 0; ;) {
        const comment = (await keptComments()).find(({ order, failure }) => order > last && !failure);
        if (!comment) return true;
        last = comment.order;
        await report?.(comment);
        const { id, username, message } = comment;
        const [response, page] = await fetch(comment.path, {
            method: 'POST',
            body: new URLSearchParams({ id, username, message }),
            signal: AbortSignal.timeout(10000),
        }).then(async (response) => [response, await response.text()]).catch(() => []);
        // The server redirects after a success, and responds with 502 if its backend cannot be reached, and with 429 or
        // 503 if the comment has to wait. A response without a language comes from another server, in front of it.
        const isSent = response?.redirected;
        if (!isSent && (!response?.headers.has('content-language') || /429|50[23]/.test(response.status))) return false;
        if (isSent) await dropComment(comment);
        else {
            const [, failure = response.status] = /class="(?:failure|removed)"[^>]*>([^<]+)/.exec(page) ?? [];
            await keepComment({ ...comment, failure });
        }
        await report?.(comment, { isSent, page });
    }
});
