// Measures and cleans texts for the terminal.
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

// Control characters, and characters that change the direction of the text: a name with them could
// change how the terminal shows the rest of the output.
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Returns the text on one line, without escape sequences of the terminal. */
export const cleanText = (text: string) => stripVTControlCharacters(text).replace(unsafe, ' ');

/** Whether a shell inserts it as one word: bash does not quote what it completes. */
export const isPlainWord = (text: string) => /^\w[\w.-]*$/.test(text);

/** The service writes such an address in the place of that of an erased reader. */
const pseudonyms = /[^\s"“”(),;<>]{1,320}@deleted\.invalid/g;

/** The text with words in the place of the addresses of erased readers, as in the console. */
export const nameErased = (text: string): string =>
  text.replace(pseudonyms, (_, start: number) => (start === 0 ? 'Erased reader' : 'erased reader'));

/** A value as JSON. The escapes stand for characters that `cleanText` removes. */
export const jsonText = (value: unknown, indent?: number) =>
  JSON.stringify(value, undefined, indent).replace(unsafe, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const widthOf = (text: string) => stringWidth(text);

const graphemes = new Intl.Segmenter();

/** Cuts the end of a text that is wider than `width` columns. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

export const padText = (text: string, width: number) =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));
