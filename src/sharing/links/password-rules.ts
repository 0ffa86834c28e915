import { invalid } from '../../base/errors/errors.ts';

const charactersMin = 8;

/** Throws `invalid_argument` for a short new password. Existing passwords are not checked. */
export function checkLinkPassword(password: string): void {
  if ([...password.normalize('NFKC')].length >= charactersMin) return;
  throw invalid('password', `must be at least ${charactersMin} characters`);
}
