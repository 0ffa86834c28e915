import { openTextFile } from '../loading/text-file.ts';
import { createElement } from '../shell/create-element.ts';
import { FindBar } from '../shell/find-bar.ts';
import { scrollByKeys } from '../shell/scroll-keys.ts';
import type { Shell } from '../shell/shell.ts';
import { createRestNotice } from '../text/rest-notice.ts';
import { TextSearch } from '../text/text-search.ts';
import { renderMarkdown } from './render-markdown.ts';
import '../text/text.css';
import './markdown.css';

/** Markdown is formatted as a whole. */
const shownBytesMax = 500_000;

export async function showMarkdown(shell: Shell): Promise<void> {
  const { main, notices, time } = shell;
  notices.showLoading();
  const file = openTextFile(shell);
  const text = await file.read(shownBytesMax);
  const formatted = await renderMarkdown(file.isComplete ? text : cutAtParagraph(text));
  const content = formatted
    ? createElement('article', { className: 'markdown' }, formatted)
    : createElement('pre', { className: 'text' }, text);
  main.append(content);
  scrollByKeys(main);
  new FindBar(new TextSearch(main, content), shell);
  const rest = formatted ? [] : ['The file is too complex to be formatted. You see its source.'];
  if (!file.isComplete) rest.push(`You see ${file.readPart}.`);
  if (rest.length > 0) main.append(createRestNotice(main, rest.join(' ')).element);
  notices.showLoaded('text');
  time.read(1);
}

function cutAtParagraph(text: string): string {
  const end = text.lastIndexOf('\n\n');
  return end === -1 ? text : text.slice(0, end);
}
