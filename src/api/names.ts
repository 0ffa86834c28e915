import { invalid } from '../base/errors/errors.ts';
import { isPrintable } from '../base/net/printable.ts';

/** Returns the value of the field `name`. Throws `invalid_argument` if it is displayed wrongly. */
export function printableName(name: string): string {
  if (!isPrintable(name)) throw invalid('name', 'must not contain control characters');
  return name;
}
