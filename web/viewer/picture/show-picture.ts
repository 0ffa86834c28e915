/** Shows an image, which is part of the HTML. */
import { zoomByGestures } from '../shell/gestures.ts';
import { listenToKeys } from '../shell/keyboard.ts';
import type { Shell } from '../shell/shell.ts';
import { createZooming } from '../shell/zoom.ts';
import { loadPicture, Picture } from './picture.ts';

export async function showPicture({ main, toolbar, notices, time }: Shell): Promise<void> {
  const image = main.querySelector('img');
  if (!image) return;
  notices.showLoading();
  const problem = await loadPicture(image);
  if (problem) {
    const mayHelp = problem === 'offline' || problem === 'busy';
    if (!mayHelp && problem !== 'broken') toolbar.close();
    image.remove();
    notices.showProblem(problem, mayHelp ? () => location.reload() : undefined);
    return;
  }
  const onScale = toolbar.showZoom.bind(toolbar);
  const picture = new Picture({ scroller: main, image, onScale });
  notices.showLoaded('1 image');
  time.read(1);
  const zooming = createZooming(picture);
  toolbar.connect(zooming);
  zoomByGestures(main, picture);
  listenToKeys({ scroller: main, zooming });
}
