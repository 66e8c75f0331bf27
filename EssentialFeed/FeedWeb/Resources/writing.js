// Publishing and removing images without leaving the page, for readers who have signed in. It uses page.js.

'use strict';

// Publishing: with progress, which only this kind of request reports, and several images one after the other

let files = [];
let upload = null;

function publish(form) {
    if (upload || !checkFile(form)) return;
    const progress = find('progress', form);
    const button = find('button', form);
    const cancel = find('#cancel', form);
    const show = (isBusy) => {
        button.disabled = isBusy;
        button.classList.toggle('busy', isBusy);
        if (!isBusy) keepFocus(cancel, button);
        for (const element of [progress, cancel]) element.hidden = !isBusy;
    };
    const fail = (message) => {
        upload = null;
        show(false);
        showBanner(message);
    };
    show(true);
    showBanner('');
    announce(texts.publishBusy);
    upload = new XMLHttpRequest();
    upload.upload.onprogress = (event) => { if (event.lengthComputable) progress.value = event.loaded / event.total; };
    upload.onerror = () => fail(texts.connectionError);
    upload.onabort = () => { fail(''); announce(texts.publishCanceled); };
    upload.onload = () => {
        const { status, responseURL, responseText } = upload;
        // The response to a published image redirects to the feed.
        if (status < 400) return files.length > 1 ? publishNext(form) : location.assign(responseURL);
        const page = parse(responseText);
        const fresh = find('#publish', page);
        fail((find('#banner p', page)?.textContent ?? '') || (fresh ? '' : texts.unexpectedError));
        if (!fresh) return;
        form.replaceWith(fresh);
        choose(files, find('#file-fault').textContent);
        find('[aria-invalid]', fresh)?.focus();
    };
    upload.open('POST', form.action);
    upload.send(new FormData(form));
}

async function publishNext(form) {
    upload = null;
    const { response, body } = await request(location.href).catch(() => ({}));
    const fresh = response?.ok && find('#publish', parse(body));
    if (!fresh) return location.reload();
    form.replaceWith(fresh);
    find('#file').multiple = true;
    choose(files.slice(1));
    find('#description').focus();
}

function checkFile(form) {
    const input = form.elements.file;
    const file = input.files[0];
    // The server reads the bytes of a file without a type.
    const isImage = !file?.type || input.accept.split(',').includes(file.type);
    const fault = !isImage ? texts.publishUnreadable : file?.size > input.dataset.limit ? texts.publishTooLarge : '';
    find('#file-fault').textContent = fault;
    return !fault;
}

// The first file is in the form, and the others wait.
function choose(list, fault = '') {
    const input = find('#file');
    const rest = find('#rest');
    const transfer = new DataTransfer();
    files = [...list];
    // Another picture may be another duplicate.
    if (!fault) find('#duplicate')?.remove();
    if (files.length > 0) transfer.items.add(files[0]);
    input.files = transfer.files;
    rest.hidden = files.length < 2;
    rest.textContent = texts.publishRest.replace('%@', files.length - 1);
    if (checkFile(input.form) && fault) find('#file-fault').textContent = fault;
    showPreview(files[0]).catch(() => {});
}

// On a canvas, because the security policy permits only images of this site.
async function showPreview(file) {
    const canvas = find('.drop canvas');
    const name = find('.drop span');
    canvas.hidden = true;
    name.dataset.idle ??= name.textContent;
    name.textContent = file ? `${file.name} · ${Math.ceil(file.size / 1e3).toLocaleString(lang)} kB` : name.dataset.idle;
    if (!file) return;
    const image = await createImageBitmap(file);
    const scale = Math.min(1, 1000 / Math.max(image.width, image.height));
    canvas.width = image.width * scale;
    canvas.height = image.height * scale;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.hidden = file !== files[0];
    image.close();
}

// Files may be dropped anywhere on the page: beside the box, the browser would leave the page for them.
function listenToFiles() {
    const take = (event, list) => {
        if (!list || list.length === 0) return;
        event.preventDefault();
        if (!upload) choose(list);
    };
    const mark = (event) => {
        event.preventDefault();
        find('.drop')?.classList.toggle('over', event.type === 'dragover');
    };
    for (const type of ['dragover', 'dragleave', 'drop']) document.addEventListener(type, mark);
    document.addEventListener('drop', (event) => take(event, event.dataTransfer.files));
    document.addEventListener('paste', (event) => take(event, event.clipboardData.files));
    document.addEventListener('change', ({ target }) => target.id === 'file' && choose(target.files));
    document.addEventListener('click', ({ target }) => target.id === 'cancel' && upload?.abort());
    find('#file').multiple = true;
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

addEventListener('pagehide', () => removal && sendRemoval());

if (find('#publish')) listenToFiles();
