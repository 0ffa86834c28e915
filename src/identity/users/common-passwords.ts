// Passwords that attackers try first (NIST SP 800-63B §5.1.1.2, OWASP ASVS 6.2.4): 49,000 from
// leaks, most frequent first. Few of them have 12 characters, so a listed password that is only
// lengthened counts as well.
import { dictionary } from '@zxcvbn-ts/language-common';

/** How much of a password may be digits and signs around a listed word. */
const paddingPerCharacterMax = 2;

/** In lower case; read once. */
let listed: ReadonlySet<string> | undefined;

/** Whether a password is on the list in any case, or is a listed one repeated or padded. */
export function isCommonPassword(password: string): boolean {
  listed ??= new Set(dictionary['passwords-common'].map((text) => text.toLowerCase()));
  const text = password.toLowerCase();
  if (repeatsOneOf(listed, text)) return true;
  const word = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const padding = text.length - word.length;
  return padding <= word.length * paddingPerCharacterMax && repeatsOneOf(listed, word);
}

/** Whether the text is one of the words, once or several times. */
function repeatsOneOf(words: ReadonlySet<string>, text: string): boolean {
  for (let times = 1; times <= text.length; times++) {
    const unit = text.slice(0, text.length / times);
    if (words.has(unit) && unit.repeat(times) === text) return true;
  }
  return false;
}
