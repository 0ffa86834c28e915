// Idioms that make a sentence hard to read do not occur in texts that people read.
import { expect, test } from 'vitest';
import { readTexts, type Text } from './texts.ts';

/** An idiom, and the words that replace it. */
const idioms: readonly [pattern: RegExp, instead: string][] = [
  [/\bwhoever\b|\bwhom\b/i, 'the caller, the user, or another noun'],
  [/(?:^|[.;:] |\()What (?![^.]*\?)/, 'a noun as the subject'],
  [/\b(?:of|from|with|for|by|than|and|but|only|all|just) what\b/i, 'a noun as the object'],
  [/\btells?\b|\btold\b/i, 'returns, shows, logs, names'],
  [/\bis none\b|\b(?<!there )(?<!There )is no\b(?! longer\b| more than\b)/, 'is not'],
  [/\bnobody\b/i, 'no one, not, or a noun'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\bbe it\b/i, 'whether'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\banew\b/i, 'again'],
  [/\bof (?:its|their|his|her|our|your|one's) own\b/i, 'separate, own'],
  [/\btakes? (?:no|only|any|every|all|both|either|none)\b/i, 'accepts'],
  [/\bsomebody\b/i, 'someone, or a noun'],
  [/\bwherefrom\b|\bthereof\b|\bhereby\b|\bhenceforth\b|\bamid\b/i, 'plain words'],
];

/** The idioms, quoted where they are banned. */
const exempt = ['test/tidy/plain-english.test.ts'];

const label = ({ file, line, text }: Text, [found]: RegExpExecArray, instead: string) =>
  `${file}:${line}: "${found.trim()}" (${instead}): ${text.slice(0, 120)}`;

test('comments, test names, documents and the user interface use plain English', () => {
  const found: string[] = [];
  for (const text of readTexts()) {
    if (exempt.includes(text.file)) continue;
    for (const [pattern, instead] of idioms) {
      const match = pattern.exec(text.text);
      if (match !== null) found.push(label(text, match, instead));
    }
  }
  expect(found).toEqual([]);
});
