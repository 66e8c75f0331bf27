// Publishing and removing images without leaving the page, for readers who have signed in. It uses page.js.

'use strict';

// Publishing: with progress, which only this kind of request reports

function publish(form) {
    const progress = find('progress', form);
    const button = find('button', form);
    if (button.disabled || !checkFile(form)) return;
    button.disabled = true;
    button.classList.add('busy');
    progress.hidden = false;
    announce(texts.publishBusy);
    const sending = new XMLHttpRequest();
    const fail = (message) => {
        progress.hidden = true;
        button.disabled = false;
        button.classList.remove('busy');
        showBanner(message);
    };
    sending.upload.onprogress = (event) => { if (event.lengthComputable) progress.value = event.loaded / event.total; };
    sending.onerror = () => fail(texts.connectionError);
    sending.onload = () => {
        // The response to a published image redirects to the feed.
        if (sending.status < 400) return location.assign(sending.responseURL);
        const page = parse(sending.responseText);
        const fresh = find('#publish', page);
        fail((find('#banner p', page)?.textContent ?? '') || (fresh ? '' : texts.unexpectedError));
        if (!fresh) return;
        fresh.elements.file.files = form.elements.file.files;
        form.replaceWith(document.adoptNode(fresh));
        find('[aria-invalid]', fresh)?.focus();
    };
    sending.open('POST', form.action);
    sending.send(new FormData(form));
}

function checkFile(form) {
    const input = form.elements.file;
    const file = input.files[0];
    const isImage = !file || input.accept.split(',').includes(file.type);
    const fault = !isImage ? texts.publishUnreadable : file?.size > input.dataset.limit ? texts.publishTooLarge : '';
    find('#file-fault').textContent = fault;
    return !fault;
}

function listenToDrops(area) {
    const input = find('input', area);
    const mark = (event) => {
        event.preventDefault();
        area.classList.toggle('over', event.type === 'dragover');
    };
    for (const type of ['dragover', 'dragleave', 'drop']) area.addEventListener(type, mark);
    area.addEventListener('drop', (event) => {
        if (event.dataTransfer.files.length === 0) return;
        input.files = event.dataTransfer.files;
        checkFile(input.form);
    });
}

// Removing: the command is sent after a few seconds, or when the reader leaves the page, unless the reader undoes it.

let removal = null;

function remove(link) {
    if (removal) return;
    const undo = document.createElement('button');
    undo.type = 'button';
    undo.textContent = link.dataset.undo;
    undo.onclick = () => {
        clearTimeout(removal.timer);
        removal = null;
        note.replaceWith(link);
        link.focus();
        find('.discussion').classList.remove('removed');
        announce('');
    };
    const note = document.createElement('span');
    note.className = 'choices';
    note.append(texts.removePending, undo);
    removal = { address: link.href, timer: setTimeout(() => finish(note, link), 6000) };
    link.replaceWith(note);
    undo.focus();
    find('.discussion').classList.add('removed');
    announce(texts.removePending);
}

function sendRemoval() {
    const { address, timer } = removal;
    clearTimeout(timer);
    removal = null;
    storage.set('removed', [...(storage.get('removed') ?? []), find('.discussion').dataset.id]);
    // The browser finishes the request even if the page is closed.
    return request(address, { method: 'POST', keepalive: true });
}

async function finish(note, link) {
    try {
        const { response, body } = await sendRemoval();
        if (response.ok) return find('.back').click();
        throw new Error(find('#banner p', parse(body))?.textContent || texts.unexpectedError);
    } catch (error) {
        storage.set('removed', []);
        keepFocus(note, find('main'));
        note.replaceWith(link);
        find('.discussion').classList.remove('removed');
        showBanner(error.message);
    }
}

// Events

document.addEventListener('click', (event) => {
    const link = event.target.closest('#remove');
    if (!link) return;
    event.preventDefault();
    remove(link);
});

document.addEventListener('submit', (event) => {
    if (event.target.getAttribute('id') !== 'publish') return;
    event.preventDefault();
    publish(event.target);
});

document.addEventListener('change', (event) => event.target.id === 'file' && checkFile(event.target.form));
addEventListener('pagehide', () => removal && sendRemoval());

const dropArea = find('.drop');
if (dropArea) listenToDrops(dropArea);
