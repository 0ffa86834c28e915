// The texts of the project that people read, each with its file and line.
import { listFiles, readText } from './files.ts';

export type Text = { readonly file: string; readonly line: number; readonly text: string };

/** Comments, and the strings that name tests, of the TypeScript and JavaScript sources. */
const comment = /\/\*\*?([\s\S]*?)\*\/|(?<![:'"`\w])\/\/(.*)$/gm;
const testName = /\b(?:it|test|describe\w*)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:(?!\1).)*)\1/gm;
const markup = />([^<>{}`$]{3,})</g;
const attribute = new RegExp(
  '\\b(?:label|title|description|placeholder|message|confirmLabel|aria-label)=' +
    '([\'"])((?:(?!\\1).)*)\\1',
  'g',
);

function* matches(file: string, source: string, pattern: RegExp): Generator<Text> {
  for (const match of source.matchAll(pattern)) {
    const text = match.slice(1).findLast((group) => group !== undefined && group.length > 1) ?? '';
    const line = source.slice(0, match.index).split('\n').length;
    yield { file, line, text: text.replace(/\n\s*\*?\s?/g, ' ').trim() };
  }
}

/** Every comment, test name, sentence of the documentation and text of the user interface. */
export function* readTexts(): Generator<Text> {
  const code = ['src', 'web', 'test', 'bench', 'scripts', 'clients'].flatMap((folder) =>
    listFiles(folder, '.ts', '.tsx', '.mjs').filter((name) => !name.includes('/dist/')),
  );
  for (const file of code) {
    const source = joinLineComments(readText(file));
    yield* matches(file, source, comment);
    if (file.startsWith('test/')) yield* matches(file, source, testName);
    if (file.endsWith('.tsx')) {
      yield* matches(file, source, markup);
      yield* matches(file, source, attribute);
    }
  }
  for (const file of listFiles('proto', '.proto')) {
    yield* matches(file, joinLineComments(readText(file)), comment);
  }
  const roots = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md'];
  const packages = ['client', 'verify'].map((name) => `clients/${name}/README.md`);
  for (const file of [...roots, ...packages, ...listFiles('docs', '.md')]) {
    for (const [i, text] of proseOf(readText(file)).entries()) {
      if (text !== '') yield { file, line: i + 1, text };
    }
  }
}

/** Line comments that follow each other, as one comment on the first line. */
function joinLineComments(source: string): string {
  return source.replace(
    /^([ \t]*\/\/)(.*)((?:\n[ \t]*\/\/.*)+)/gm,
    (_match, start: string, first: string, rest: string) =>
      start + first + rest.replace(/\n[ \t]*\/\//g, '') + '\n'.repeat(rest.split('\n').length - 1),
  );
}

/** The lines of a document without its code. */
function proseOf(markdown: string): string[] {
  let isCode = false;
  return markdown.split('\n').map((line) => {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode;
      return '';
    }
    return isCode ? '' : line.replace(/`[^`]*`/g, '`code`');
  });
}
