// Texts without a visible character.
import { expect } from 'vitest';
import { isBlank } from '../../../src/base/net/printable.ts';
import { itHoldsFor } from '../../support/rule.ts';

const invisible: readonly [name: string, text: string][] = [
  ['nothing', ''],
  ['a space', ' '],
  ['no-break and ideographic spaces', '\u00a0\u3000'],
  ['a line break and a tab', '\n\t'],
  ['a zero-width space', '\u200b'],
  ['zero-width joiners', '\u200c\u200d'],
  ['a word joiner', '\u2060'],
  ['an invisible separator', '\u2063'],
  ['a soft hyphen', '\u00ad'],
  ['an empty Braille pattern', '\u2800'],
  ['a byte order mark', '\ufeff'],
  ['a Hangul filler', '\u3164'],
  ['Hangul fillers of syllables', '\u115f\u1160'],
  ['a half-width Hangul filler', '\uffa0'],
  ['a variation selector', '\ufe0f'],
  ['a variation selector of a supplementary plane', '\u{e0100}'],
  ['a combining grapheme joiner', '\u034f'],
  ['a Mongolian vowel separator', '\u180e'],
  ['a tag', '\u{e0041}'],
  ['a musical format character', '\u{1d173}'],
  ['an override of the direction', '\u202e'],
  ['several of them', ' \u200b\u2800\u3164\ufe0f '],
];

itHoldsFor(invisible, 22)('a text is blank that consists of', (_, text) => {
  expect(isBlank(text)).toBe(true);
  expect(isBlank(`${text}a${text}`)).toBe(false);
  expect(isBlank(`${text}\u{1f511}${text}`)).toBe(false);
});
