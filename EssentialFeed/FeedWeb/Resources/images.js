// Images: their states, and the memory that they use.

function settle(image, state) {
    const frame = image.closest('.frame');
    if (!frame) return;
    frame.dataset.state = state;
    find('.problem', frame).hidden = state !== 'failed';
    followImage(frame);
}

function settleImages(root) {
    for (const image of findAll('.frame img', root)) {
        if (!image.src) followImage(image.closest('.frame'));
        else if (image.complete) settle(image, image.naturalWidth > 0 ? 'loaded' : 'failed');
    }
}

function retry(frame) {
    const image = find('img', frame);
    keepFocus(frame, find('h2 a', frame.parentElement) ?? frame);
    settle(image, 'loading');
    image.src = image.getAttribute('src');
}

// Far from the window, an image is released. Its frame keeps the size, and the browser's cache the bytes.
const nearby = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
        const image = find('img', target);
        if (isIntersecting && !image.src) restore(target);
        else if (!isIntersecting && target.dataset.state === 'loaded') {
            target.dataset.state = 'released';
            for (const name of ['srcset', 'src']) {
                image.dataset[name] = image.getAttribute(name) ?? '';
                image.removeAttribute(name);
            }
        }
    }
}, { rootMargin: '1500px' });

// Observing again reports the position at once, also of an image that arrived after the reader had scrolled past it.
function followImage(frame) {
    nearby.unobserve(frame);
    nearby.observe(frame);
}

function restore(frame) {
    const image = find('img', frame);
    frame.dataset.state = 'loading';
    image.srcset = image.dataset.srcset;
    image.src = image.dataset.src;
}

// Paper has all images. Afterward, those far from the window are released again.
addEventListener('beforeprint', () => findAll('.frame[data-state=released]').forEach(restore));
