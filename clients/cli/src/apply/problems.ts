// The problems of the files, which are reported before any change.
import { CommandError } from '../base/command.ts';
import { cleanText } from '../base/text.ts';

/** The text begins with the place in the file. */
export type Problem = { readonly file: string; readonly text: string };

const shownMax = 20;

/** Throws an error that names the problems, one on each line. */
export function throwProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const byFile = new Map<string, string[]>();
  for (const { file, text } of problems) {
    const texts = byFile.get(file) ?? [];
    byFile.set(file, texts);
    texts.push(cleanText(text));
  }
  const lines = [...byFile].flatMap(([file, texts]) => {
    const rest = texts.length - shownMax;
    const more = `${file}: ${rest} more ${rest === 1 ? 'problem' : 'problems'}`;
    return [...texts.slice(0, shownMax), ...(rest > 0 ? [more] : [])];
  });
  throw new CommandError([...lines, 'Nothing was changed.'].join('\n'));
}
