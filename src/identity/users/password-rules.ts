// The rules for passwords (NIST SP 800-63B §5.1.1.2): a minimum length, and no rules for
// composition.
import { fail, invalid } from '../../base/errors/errors.ts';

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

// The passwords that attackers try first (NIST SP 800-63B §5.1.1.2, OWASP ASVS 6.2.4): 49,000
// leaked passwords, most frequent first. Few of them have 12 characters, so a listed password with
// padding counts as common, too.

const paddingPerCharacterMax = 2;

let listed: ReadonlySet<string> | undefined;

export async function isCommonPassword(password: string): Promise<boolean> {
  listed ??= await readList();
  const text = password.toLowerCase();
  if (repeatsOneOf(listed, text)) return true;
  const word = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const padding = text.length - word.length;
  return padding <= word.length * paddingPerCharacterMax && repeatsOneOf(listed, word);
}

async function readList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map((text) => text.toLowerCase()));
}

function repeatsOneOf(words: ReadonlySet<string>, text: string): boolean {
  for (let times = 1; times <= text.length; times++) {
    const unit = text.slice(0, text.length / times);
    if (words.has(unit) && unit.repeat(times) === text) return true;
  }
  return false;
}
