/** Names in sentences: one that is written from right to left leaves the rest in its order. */

const [start, end] = ['\u2068', '\u2069'];

/** Marks a name where it stands in a sentence that `Sentence` shows. */
export const isolateName = (name: string) => `${start}${name}${end}`;

export function Sentence({ text }: { readonly text: string }) {
  return text.split(start).flatMap((part, index) => (index === 0 ? [part] : withName(part, index)));
}

function withName(part: string, index: number) {
  const [name = '', ...rest] = part.split(end);
  return [<bdi key={index}>{name}</bdi>, rest.join(end)];
}
