import type { HandlerContext } from '@connectrpc/connect';
import { repeatAccessCheck, workspaceOf } from '../../api/workspace.ts';
import { invalid } from '../../base/errors/errors.ts';
import type { Passwords } from '../../credentials/passwords.ts';

const charactersMin = 8;

/** Throws `invalid_argument` for a short new password. Existing passwords are not checked. */
function checkLinkPassword(password: string): void {
  if ([...password.normalize('NFKC')].length >= charactersMin) return;
  throw invalid('password', `must be at least ${charactersMin} characters`);
}

/**
 * Returns null for an empty password, which removes the protection. Throws if the caller has lost
 * access while the password waited and was hashed.
 */
export type HashLinkPassword = (
  password: string,
  context: HandlerContext,
) => Promise<string | null>;

export function createLinkPasswordHash(passwords: Passwords): HashLinkPassword {
  return async (password, context) => {
    if (password === '') return null;
    checkLinkPassword(password);
    const workspaceId = workspaceOf(context);
    const hash = await passwords.hash(password, { kind: 'links', owner: [workspaceId, ''] });
    await repeatAccessCheck(context, workspaceId);
    return hash;
  };
}

/** Equal passwords get one hash, because a slow hash for each link would take too long. */
export function hashEqualOnce(hashPassword: HashLinkPassword): HashLinkPassword {
  const hashes = new Map<string, string | null>();
  return async (password, context) => {
    const hash = hashes.get(password) ?? (await hashPassword(password, context));
    hashes.set(password, hash);
    return hash;
  };
}
