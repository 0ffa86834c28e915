// Hashes of secrets, as other servers store them. Python's hashlib and libxcrypt have made them.
// Those of short secrets are in the public tests of ory/x and Go.

export const bcryptSecret = 'Bcrypt-secret-of-25-chars';
const bcryptRest = 'abcdefghijklmnopqrstuu.Y3hbxsCVfN2U7IFr6k79ucq5yZ7Eyq';
const salt = 'aW1wb3J0ZWQtc2FsdC0wMQ';
const sha256Key = 'UnIaz0xbZAfj/AjeWZ5SC6JB5pIedQ+xUNdNJ3gxXqY';

export const hashes = {
  'PBKDF2 with SHA-256, as Hydra writes it': [
    'Hydra-secret-of-26-chars.1',
    `$pbkdf2-sha256$i=25000,l=32$${salt}$${sha256Key}`,
  ],
  'PBKDF2 with SHA-512': [
    'Another~secret_of_24.chars',
    `$pbkdf2-sha512$i=1000,l=32$${salt}$2J0MVpiczaNHfsWoVHFVFPBc5kRFHBtUGLL+LgdfVhE`,
  ],
  'bcrypt 2a': [bcryptSecret, `$2a$05$${bcryptRest}`],
  'bcrypt 2b': [bcryptSecret, `$2b$05$${bcryptRest}`],
  'bcrypt 2y': [bcryptSecret, `$2y$05$${bcryptRest}`],
} as const;

export const shortHashes = {
  'PBKDF2 with SHA-256': [
    'test',
    '$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$' +
      'QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI',
  ],
  bcrypt: ['allmine', '$2a$10$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga'],
} as const;

const pbkdf2 = (parameters: string, key = sha256Key, ownSalt = salt) =>
  `$pbkdf2-${parameters}$${ownSalt}$${key}`;

/** The problem, the secret, the field that the error names, and a part of the error. */
export const badSecrets: readonly [string, Record<string, string>, string, string][] = [
  ['a bcrypt cost below 4', { hash: `$2b$03$${bcryptRest}` }, 'hash', '4 to 12'],
  ['a bcrypt cost above 12', { hash: `$2b$13$${bcryptRest}` }, 'hash', '4 to 12'],
  ['bcrypt 2x', { hash: `$2x$10$${bcryptRest}` }, 'hash', 'bcrypt or PBKDF2'],
  ['a short bcrypt', { hash: `$2b$10$${bcryptRest.slice(1)}` }, 'hash', 'bcrypt or PBKDF2'],
  ['999 iterations', { hash: pbkdf2('sha256$i=999,l=32') }, 'hash', '1,000 to 600,000'],
  ['600,001', { hash: pbkdf2('sha512$i=600001,l=32') }, 'hash', '1,000 to 600,000'],
  ['SHA-1', { hash: pbkdf2('sha1$i=25000,l=32') }, 'hash', 'bcrypt or PBKDF2'],
  ['a short salt', { hash: pbkdf2('sha256$i=9000,l=32', sha256Key, 'c2FsdA') }, 'hash', '8 to 64'],
  ['a short key', { hash: pbkdf2('sha256$i=9000,l=8', 'UnIaz0xbZAc') }, 'hash', '16 to 32'],
  ['another length', { hash: pbkdf2('sha256$i=9000,l=16') }, 'hash', 'as many bytes as'],
  ['padding', { hash: pbkdf2('sha256$i=9000,l=32', `${sha256Key}=`) }, 'hash', 'bcrypt or PBKDF2'],
  ['SHA-256 alone', { hash: 'a'.repeat(64) }, 'hash', 'bcrypt or PBKDF2'],
  ['argon2', { hash: '$argon2id$v=19$m=32,t=2,p=4$c2FsdA$a2V5' }, 'hash', 'bcrypt or PBKDF2'],
  ['a short secret', { value: 'fifteen-letters' }, 'value', '16'],
  ['a secret of this service', { value: 'lk_cs' }, 'value', '16'],
  ['another alphabet', { value: 'ä'.repeat(16) }, 'value', 'ASCII'],
  ['both', { value: 'a-secret-of-20-chars', hash: 'b' }, '', 'either'],
  ['neither', {}, '', 'either'],
];
