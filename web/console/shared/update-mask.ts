/** The masks of update requests. Without one, a request changes the fields that have a value. */

/** These fields, and the mask that names them, so that empty values are stored, too. */
export const withMask = <Fields extends object>(fields: Fields) => ({
  ...fields,
  updateMask: { paths: Object.keys(fields).map(pathOf) },
});

/** The paths of the fields with different values. */
export function pathsOfChanges(after: object, before: object): string[] {
  const textOf = (fields: object, name: string) => JSON.stringify(Reflect.get(fields, name));
  return Object.keys({ ...before, ...after })
    .filter((name) => textOf(after, name) !== textOf(before, name))
    .map(pathOf);
}

const pathOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
