// The two codes of a command-line sign-in (RFC 8628 §3.2). The device code is a secret of
// the program. The user code is short enough to type.
import { encodeBase62, type Random } from '../../../base/crypto/ids.ts';
import { invalid } from '../../../base/errors/errors.ts';

/** Without vowels and digits, so that a code is neither a word nor misread (RFC 8628 §6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;

export const newDeviceCode = (random: Random): string => encodeBase62(random(32), 43);

export function newUserCode(random: Random): string {
  // With 128 bits, no letter is noticeably more frequent.
  let rest = BigInt(`0x${Buffer.from(random(16)).toString('hex')}`);
  let code = '';
  while (code.length < length) {
    code += letters.charAt(Number(rest % BigInt(letters.length)));
    rest /= BigInt(letters.length);
  }
  return code;
}

export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Accepts any letter case, spaces and dashes. Throws `invalid_argument`. */
export function parseUserCode(text: string): string {
  const code = text.replaceAll(/[\s-]/g, '');
  // Without the flag `u`, no other character than an ASCII letter matches in any case.
  if (new RegExp(`^[${letters}]{${length}}$`, 'i').test(code)) return code.toUpperCase();
  throw invalid('user_code', `must consist of ${length} of the letters ${letters}`);
}
