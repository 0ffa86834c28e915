/** A button that shows the viewer on the whole screen, where the browser can do that. */
import { setFace } from './buttons.ts';
import type { Toolbar } from './toolbar.ts';

export function addFullscreen(toolbar: Toolbar): void {
  if (!document.fullscreenEnabled) return;
  const toggle = () =>
    document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen();
  // A refusal changes nothing.
  const button = toolbar.addTool('fullscreen', 'Full screen', () => void toggle().catch(() => {}));
  document.addEventListener('fullscreenchange', () => {
    const isFull = document.fullscreenElement !== null;
    setFace(button, isFull ? 'window' : 'fullscreen', isFull ? 'Exit full screen' : 'Full screen');
  });
}
