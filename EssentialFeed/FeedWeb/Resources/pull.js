// Pull to refresh, on touch screens. Style shows the pull, and keeps the browser from reloading the page instead.

const pullLength = 72;
let pullStart = null;
let pulled = 0;

function pull(distance) {
    pulled = Math.min(distance, pullLength);
    root.style.setProperty('--pulled', `${pulled}px`);
    root.classList.toggle('pulling', pulled > 0);
}

function listenToPulls() {
    addEventListener('touchstart', ({ touches }) => {
        pullStart = scrollY <= 0 && touches.length === 1 && find('#refresh') ? touches[0].clientY : null;
    }, { passive: true });
    addEventListener('touchmove', ({ touches }) => {
        if (pullStart !== null) pull(scrollY > 0 ? 0 : Math.max(0, (touches[0].clientY - pullStart) / 2));
    }, { passive: true });
    for (const type of ['touchend', 'touchcancel']) {
        addEventListener(type, () => {
            if (type === 'touchend' && pulled === pullLength) find('#refresh').requestSubmit();
            pullStart = null;
            pull(0);
        });
    }
}

if (matchMedia('(pointer: coarse)').matches) listenToPulls();
