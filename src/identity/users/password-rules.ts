// The rules for passwords (NIST SP 800-63B §5.1.1.2): a minimum length, and no rules for
// composition.
import { fail, invalid } from '../../base/errors/errors.ts';
import { isCommonPassword } from './common-passwords.ts';

/** More than the standard's 8, because many users here have far-reaching permissions. */
const charactersMin = 12;

/** Throws `invalid_argument`, or `conflict` if passwords are off. */
export type CheckPassword = (password: string, email: string) => Promise<void>;

export function createPasswordRules(localPasswords: boolean): CheckPassword {
  return localPasswords ? checkPassword : refusePassword;
}

export const passwordsAreOff = () =>
  fail('conflict', 'Passwords are off. Users sign in with an identity provider.');

async function refusePassword(): Promise<void> {
  throw passwordsAreOff();
}

async function checkPassword(password: string, email: string): Promise<void> {
  const text = password.normalize('NFKC');
  const characters = [...text];
  if (characters.length < charactersMin) {
    throw invalid('password', `must be at least ${charactersMin} characters`);
  }
  if (new Set(characters).size === 1)
    throw invalid('password', 'must not repeat a single character');
  if (text.toLowerCase().includes(email)) {
    throw invalid('password', 'must not contain the email address');
  }
  if (await isCommonPassword(text)) throw invalid('password', 'must not be a common password');
}
