import { serverReturns } from '../loading/persistent-requests.ts';
import { addFullscreen } from '../shell/fullscreen.ts';
import { zoomByGestures } from '../shell/gestures.ts';
import { listenToKeys } from '../shell/keyboard.ts';
import type { Shell } from '../shell/shell.ts';
import { createZooming } from '../shell/zoom.ts';
import { loadPicture, Picture } from './picture.ts';

export async function showPicture(shell: Shell): Promise<void> {
  const { main, toolbar, notices, time, shortcuts } = shell;
  const image = main.querySelector('img');
  if (!image) return;
  notices.showLoading();
  const problem = await loadPicture(image);
  if (problem) {
    const mayHelp = problem === 'offline' || problem === 'busy';
    if (!mayHelp && problem !== 'broken') toolbar.close();
    const url = image.src;
    const reload = () => location.reload();
    image.remove();
    notices.showProblem(problem, mayHelp ? reload : undefined);
    if (mayHelp) await serverReturns(url).then(reload);
    return;
  }
  const onScale = toolbar.showZoom.bind(toolbar);
  const picture = new Picture({ scroller: main, image, onScale });
  notices.showLoaded('1 image');
  time.read(1);
  const zooming = createZooming(picture);
  toolbar.connect(zooming);
  addFullscreen(shell);
  zoomByGestures(main, picture);
  listenToKeys({ scroller: main, zooming, shortcuts });
}
