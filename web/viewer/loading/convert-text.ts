/** Converts a text in a worker, which ends after its answer or after a time limit. */
import { startWorker } from '../shell/trusted-types.ts';

/** Some texts take minutes. Their readers see the source instead. */
const convertMilliseconds = 5_000;

export function convertText(workerUrl: string, message: unknown): Promise<string | undefined> {
  const worker = startWorker(workerUrl);
  const converted = new Promise<string | undefined>((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<string | undefined>) =>
      resolve(data),
    );
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      resolve(undefined);
    });
    setTimeout(() => resolve(undefined), convertMilliseconds);
  });
  worker.postMessage(message);
  return converted.finally(() => worker.terminate());
}
