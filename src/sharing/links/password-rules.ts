import { invalid } from '../../base/errors/errors.ts';
import type { Passwords } from '../../credentials/passwords.ts';

const charactersMin = 8;

/** Throws `invalid_argument` for a short new password. Existing passwords are not checked. */
function checkLinkPassword(password: string): void {
  if ([...password.normalize('NFKC')].length >= charactersMin) return;
  throw invalid('password', `must be at least ${charactersMin} characters`);
}

/** Returns null for an empty password, which removes the protection. */
export type HashLinkPassword = (password: string, workspaceId: string) => Promise<string | null>;

export function createLinkPasswordHash(passwords: Passwords): HashLinkPassword {
  return async (password, workspaceId) => {
    if (password === '') return null;
    checkLinkPassword(password);
    return passwords.hash(password, { kind: 'links', owner: [workspaceId, ''] });
  };
}

/** Equal passwords get one hash, because a slow hash for each link would take too long. */
export function hashEqualOnce(hashPassword: HashLinkPassword): HashLinkPassword {
  const hashes = new Map<string, string | null>();
  return async (password, workspaceId) => {
    const hash = hashes.get(password) ?? (await hashPassword(password, workspaceId));
    hashes.set(password, hash);
    return hash;
  };
}
