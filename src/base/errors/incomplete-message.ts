import { fail } from './errors.ts';

export const incompleteMessage = () =>
  fail('invalid_argument', 'The request ends in the middle of a message.');
