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
