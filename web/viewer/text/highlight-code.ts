/** Colors code by its syntax. The language is the extension of the file name. */
import DOMPurify from 'dompurify';
import { convertText } from '../loading/convert-text.ts';
import workerUrl from './highlight-worker.ts?worker&url';
import './code.css';

/** Longer texts are shown without colors. */
const charactersMax = 200_000;

const extension = /[^./\\]\.(\w{1,16})$/;

/** Returns undefined for an unknown language, and for a text that is too long or too complex. */
export async function highlightCode(
  text: string,
  name: string,
): Promise<DocumentFragment | undefined> {
  const language = extension.exec(name.trim())?.[1]?.toLowerCase();
  if (language === undefined || language === 'txt' || text.length > charactersMax) return undefined;
  const html = await convertText(workerUrl, { text, language });
  if (html === undefined) return undefined;
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: ['span'],
    ALLOWED_ATTR: ['class'],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
