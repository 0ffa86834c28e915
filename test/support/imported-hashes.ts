// Hashes of secrets, as other servers store them. Python's hashlib and libxcrypt have made them.
// Those of short secrets are in the public tests of ory/x and Go.

export const bcryptSecret = 'Bcrypt-secret-of-25-chars';
export const bcryptRest = 'abcdefghijklmnopqrstuu.Y3hbxsCVfN2U7IFr6k79ucq5yZ7Eyq';
export const salt = 'aW1wb3J0ZWQtc2FsdC0wMQ';
export const sha256Key = 'UnIaz0xbZAfj/AjeWZ5SC6JB5pIedQ+xUNdNJ3gxXqY';

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
