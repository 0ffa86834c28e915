/** Isolates names in sentences, so that a right-to-left name does not reorder the sentence. */

const [start, end] = ['\u2068', '\u2069'];

/** Marks a name inside a text that `Sentence` renders. */
export const isolateName = (name: string) => `${start}${name}${end}`;

export function Sentence({ text }: { readonly text: string }) {
  return text.split(start).flatMap((part, index) => (index === 0 ? [part] : withName(part, index)));
}

function withName(part: string, index: number) {
  const [name = '', ...rest] = part.split(end);
  return [<bdi key={index}>{name}</bdi>, rest.join(end)];
}
