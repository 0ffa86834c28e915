/** Shows plain text and code, part by part. */
import { openTextFile } from '../loading/text-file.ts';
import { createElement } from '../shell/create-element.ts';
import { FindBar } from '../shell/find-bar.ts';
import { scrollByKeys } from '../shell/scroll-keys.ts';
import type { Shell } from '../shell/shell.ts';
import { formatJson } from './format-json.ts';
import { highlightCode } from './highlight-code.ts';
import { createRestNotice } from './rest-notice.ts';
import { TextSearch } from './text-search.ts';
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
  const shown = (isJson && file.isComplete ? formatJson(text) : undefined) ?? text;
  const name = isJson ? 'formatted.json' : (main.dataset.name ?? '');
  const colored = file.isComplete ? await highlightCode(shown, name) : undefined;
  const content = createElement('pre', { className: 'text' }, colored ?? shown);
  main.append(content);
  scrollByKeys(main);
  new FindBar(new TextSearch(main, content), shell);
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
