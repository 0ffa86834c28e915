/** Shows a video or a recording with the player of the browser, which is part of the HTML. */
import type { LoadProblem } from '../loading/persistent-requests.ts';
import { findProblem } from '../picture/picture.ts';
import type { Shell } from '../shell/shell.ts';
import './media.css';

export async function showMedia({ main, toolbar, notices, time }: Shell): Promise<void> {
  const player = main.querySelector<HTMLMediaElement>('video, audio');
  if (!player) return;
  const isVideo = player instanceof HTMLVideoElement;

  async function showProblem(media: HTMLMediaElement): Promise<void> {
    const problem: LoadProblem = await findProblem(media.src);
    const mayHelp = problem === 'offline' || problem === 'busy';
    if (!mayHelp && problem !== 'broken') toolbar.close();
    notices.showProblem(problem, mayHelp ? () => resume(media) : undefined);
  }

  function resume(media: HTMLMediaElement): void {
    notices.clear();
    const { currentTime } = media;
    media.load();
    media.currentTime = currentTime;
  }

  notices.showLoading();
  player.addEventListener('error', () => void showProblem(player));
  if (player.error) void showProblem(player);
  if (player.readyState < HTMLMediaElement.HAVE_METADATA) {
    await new Promise((resolve) => player.addEventListener('loadedmetadata', resolve));
  }
  notices.showLoaded(isVideo ? 'video' : 'audio');
  time.read(1);
}
