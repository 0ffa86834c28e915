/** Shows the viewer on the whole screen, where the browser can do that. */
import { setFace } from './buttons.ts';
import type { Shell } from './shell.ts';

/** The bar hides after this time without input. */
const idleMilliseconds = 3000;

export function addFullscreen({ toolbar, shortcuts }: Shell): void {
  if (!document.fullscreenEnabled) return;
  const toggle = () => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen();
    // A refusal changes nothing.
    void change.catch(() => {});
  };
  const button = toolbar.addTool('fullscreen', 'Full screen', toggle);
  shortcuts.add('F', 'Full screen', toggle);
  document.addEventListener('fullscreenchange', () => {
    const isFull = document.fullscreenElement !== null;
    setFace(button, isFull ? 'window' : 'fullscreen', isFull ? 'Exit full screen' : 'Full screen');
  });
  hideBarWithoutInput();
}

function hideBarWithoutInput(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { classList } = document.body;
  const wake = () => {
    clearTimeout(timer);
    classList.remove('idle');
    if (document.fullscreenElement === null) return;
    timer = setTimeout(() => {
      // A control that has the focus stays visible.
      classList.toggle('idle', !document.querySelector('header :focus-visible'));
    }, idleMilliseconds);
  };
  for (const type of ['fullscreenchange', 'pointermove', 'pointerdown', 'keydown', 'focusin']) {
    document.addEventListener(type, wake, { passive: true });
  }
}
