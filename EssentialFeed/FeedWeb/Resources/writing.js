// Publishing and removing images without leaving the page, for readers who have signed in. It uses page.js.

'use strict';

// Publishing: with progress, which only this kind of request reports, and several images one after the other

let files = [];
let upload = null;
// The number of published images, and the address of the feed that says so.
let done = 0, result;
const blank = find('#publish')?.cloneNode(true);

function publish(form) {
    if (upload || showFault(faultOf(files[0]))) return;
    const progress = find('progress', form);
    const button = find('button', form);
    const cancel = find('#cancel', form);
    // Before the fields are disabled, because forms leave such fields out.
    const fields = new FormData(form);
    const show = (isBusy) => {
        for (const element of [button, find('#skip', form), form.elements.file]) element.disabled = isBusy;
        button.classList.toggle('busy', isBusy);
        if (!isBusy) keepFocus(cancel, button);
        for (const element of [progress, cancel]) element.hidden = !isBusy;
    };
    const fail = (message, status = '') => {
        upload = null;
        show(false);
        showBanner(message);
        announce(status);
    };
    progress.value = 0;
    show(true);
    showBanner('');
    announce(texts.publishBusy);
    upload = new XMLHttpRequest();
    upload.upload.onprogress = (event) => { if (event.lengthComputable) progress.value = event.loaded / event.total; };
    upload.onerror = () => fail(texts.connectionError);
    upload.onabort = () => fail('', texts.publishCanceled);
    upload.onload = () => {
        const { status, responseURL, responseText } = upload;
        // The response to a published image redirects to the feed.
        if (status < 400) {
            upload = null;
            note(new URL(responseURL));
            return next(form);
        }
        const page = parse(responseText);
        const fresh = find('#publish', page);
        fail((find('#banner p', page)?.textContent ?? '') || (fresh ? '' : texts.unexpectedError));
        if (!fresh) return;
        // The server has not read the form if it could not ask for the reader's permissions.
        for (const name of ['description', 'caption', 'location']) fresh.elements[name].value ||= fields.get(name);
        replace(form, fresh, files, find('#file-fault', fresh).textContent);
        (find('[aria-invalid]', fresh) ?? find('button', fresh)).focus();
    };
    upload.open('POST', form.action);
    upload.send(fields);
}

// The address of the feed after the last image names what was removed from all of them.
function note(address) {
    const kinds = [result, address].flatMap((url) => url?.searchParams.get('removed')?.split('.') ?? []);
    if (kinds.length > 0) address.searchParams.set('removed', [...new Set(kinds)].join('.'));
    done += 1;
    if (done > 1) address.searchParams.set('published', done);
    result = address;
}

// The next image gets an empty form, and after the last one follows the feed.
function next(form) {
    const rest = files.slice(1);
    if (rest.length === 0 && result) {
        files = [];
        return location.assign(result);
    }
    const fresh = blank.cloneNode(true);
    fresh.reset();
    // With plain http between machines, there is no crypto.randomUUID.
    fresh.elements.id.value = URL.createObjectURL(new Blob()).slice(-36);
    replace(form, fresh, rest);
    announce(find('#position').textContent);
    find('#description').focus();
}

function replace(form, fresh, list, fault) {
    // The picture stays until that of the next image is there.
    find('canvas', fresh).replaceWith(find('canvas', form));
    form.replaceWith(fresh);
    find('#file').multiple = true;
    choose(list, fault);
}

// The reason for which a file cannot be published, as far as its name and its size say.
function faultOf(file) {
    const { accept, dataset } = find('#file');
    if (/[./]hei[cf]$/i.test(file?.type || file?.name)) return texts.publishHEIC;
    // The server reads the bytes of a file without a type.
    if (file?.type && !accept.split(',').includes(file.type)) return texts.publishUnreadable;
    return file?.size > dataset.limit ? texts.publishTooLarge : '';
}

function showFault(fault) {
    return find('#file-fault').textContent = fault;
}

// The first file is in the form, and the others wait. Those that cannot be published are the last.
function choose(list, fault = '') {
    const transfer = new DataTransfer();
    files = [...list].sort((one, other) => !!faultOf(one) - !!faultOf(other));
    // Another picture may be another duplicate.
    if (!fault) find('#duplicate')?.remove();
    if (files.length > 0) transfer.items.add(files[0]);
    find('#file').files = transfer.files;
    const position = find('#position');
    const count = done + files.length;
    position.hidden = find('#skip').hidden = count < 2;
    position.textContent = texts.publishPosition.replace('%@', done + 1).replace('%@', count);
    showFault(fault || faultOf(files[0]));
    showPreview(files[0]);
}

// On a canvas, because the security policy permits only images of this site.
async function showPreview(file) {
    const canvas = find('.drop canvas');
    const name = find('.drop span');
    name.dataset.idle ??= name.textContent;
    name.textContent = file ? `${file.name} · ${Math.ceil(file.size / 1e3).toLocaleString(lang)} kB` : name.dataset.idle;
    const image = file && await createImageBitmap(file).catch(() => null);
    if (file !== files[0]) return;
    canvas.hidden = !image;
    if (!image) return;
    const scale = Math.min(1, 1000 / Math.max(image.width, image.height));
    canvas.width = image.width * scale;
    canvas.height = image.height * scale;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    image.close();
}

// Between others, and for a file that cannot be published, other files replace only the one in the form.
function replaceFiles(list) {
    if (upload) return;
    choose(done > 0 || find('#file-fault').textContent ? [...list, ...files.slice(1)] : list);
}

// Files may be dropped anywhere on the page: beside the box, the browser would leave the page for them.
function listenToFiles() {
    const take = (event, list) => {
        if (!list || list.length === 0) return;
        event.preventDefault();
        replaceFiles(list);
    };
    const mark = (event) => {
        event.preventDefault();
        find('.drop')?.classList.toggle('over', event.type === 'dragover');
    };
    for (const type of ['dragover', 'dragleave', 'drop']) document.addEventListener(type, mark);
    document.addEventListener('drop', (event) => take(event, event.dataTransfer.files));
    document.addEventListener('paste', (event) => take(event, event.clipboardData.files));
    document.addEventListener('change', ({ target }) => target.id === 'file' && replaceFiles(target.files));
    document.addEventListener('click', ({ target }) => {
        if (target.id === 'cancel') upload?.abort();
        if (target.id === 'skip') next(target.form);
    });
    const input = find('#file');
    input.multiple = true;
    // Browsers keep the files of a page that is loaded again.
    if (input.files.length > 0) choose(input.files);
}

// Removing: the command is sent after a few seconds, or when the reader leaves the page, unless the reader undoes it. The
// next page sends it again, because the browser may have dropped the request of a page that was left.

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

function beginRemoval() {
    clearTimeout(removal.timer);
    storage.set('removed', [...(storage.get('removed') ?? []), shownImage()]);
    storage.set('removal', removal.address);
    removal = null;
    return sendRemoval();
}

async function sendRemoval() {
    try {
        // The browser finishes the request even if the page is closed.
        const { response, body } = await request(storage.get('removal'), { method: 'POST', keepalive: true });
        if (!response.ok) throw new Error(find('#banner p', parse(body))?.textContent || texts.unexpectedError);
    } catch (error) {
        storage.set('removed', []);
        showBanner(error.message);
        throw error;
    } finally {
        storage.set('removal', null);
    }
}

async function finish(note, link) {
    try {
        await beginRemoval();
        find('.back').click();
    } catch {
        announce('');
        keepFocus(note, find('main'));
        note.replaceWith(link);
        find('.discussion').classList.remove('removed');
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

// Leaving the page would end an upload and forget the chosen files, so the browser asks first.
addEventListener('beforeunload', (event) => files.length > 0 && event.preventDefault());

addEventListener('pagehide', () => removal && beginRemoval().catch(() => {}));

if (storage.get('removal')) sendRemoval().catch(() => {});

if (find('#publish')) listenToFiles();
