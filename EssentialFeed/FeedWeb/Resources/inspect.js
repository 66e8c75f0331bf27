// Refreshes the live parts of the page. Without it, the page shows the state at which it was loaded.

const interval = 2000;
const pause = document.querySelector('#pause');
let isPaused = false;

async function refresh() {
    const response = await fetch(location.pathname, { cache: 'no-store' });
    if (!response.ok) throw new Error(response.status);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
        const current = page.getElementById(part.id);
        // A part with the focus stays as it is, so that a button does not disappear under a finger.
        if (!current || part.contains(document.activeElement) || part.innerHTML === current.innerHTML) continue;
        part.replaceChildren(...current.childNodes);
    }
}

async function follow() {
    if (!isPaused && !document.hidden) {
        try {
            await refresh();
            document.body.classList.remove('gone');
        } catch {
            document.body.classList.add('gone');
        }
    }
    setTimeout(follow, interval);
}

// Links lead into the closed list of registrations.
function openTarget() {
    const details = document.getElementById(location.hash.slice(1))?.closest('details');
    if (details) details.open = true;
}

pause.hidden = false;
pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Resume' : 'Pause';
});
addEventListener('hashchange', openTarget);
openTarget();
setTimeout(follow, interval);
