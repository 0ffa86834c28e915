/** Shows plain text and code, part by part. */
import { openTextFile } from '../loading/text-file.ts';
import { scrollByKeys } from '../shell/scroll-keys.ts';
import type { Shell } from '../shell/shell.ts';
import { formatJson } from './format-json.ts';
import { createRestNotice } from './rest-notice.ts';
import './text.css';

const partBytes = 500_000;

/** Larger JSON files are shown as they are. */
const formattedBytesMax = 1_000_000;

export async function showText(shell: Shell): Promise<void> {
  const { main, notices, time } = shell;
  notices.showLoading();
  const isJson = main.dataset.kind === 'json';
  const file = openTextFile(shell);
  const text = await file.read(isJson ? formattedBytesMax : partBytes);
  const content = document.createElement('pre');
  content.className = 'text';
  content.append((isJson && file.isComplete ? formatJson(text) : undefined) ?? text);
  main.append(content);
  scrollByKeys(main);
  notices.showLoaded('text');
  time.read(1);
  if (file.isComplete) return;

  let isReading = false;
  const describe = () => `You see ${file.readPart}.`;
  const rest = createRestNotice(main, describe(), async () => {
    if (isReading) return;
    isReading = true;
    content.append(await file.read(partBytes));
    isReading = false;
    if (file.isComplete) rest.element.remove();
    else rest.update(describe());
  });
  main.append(rest.element);
}
