import { invalid } from '../../errors/errors.ts';

const charactersMin = 8;

/** Throws `invalid_argument` for a new password; one that was set before stays valid. */
export function checkLinkPassword(password: string): void {
  if ([...password.normalize('NFKC')].length >= charactersMin) return;
  throw invalid('password', `must be at least ${charactersMin} characters`);
}
