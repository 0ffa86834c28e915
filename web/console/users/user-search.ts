/** By what the list of users is filtered, as it stands in the address. */
export type UserSearch = { kind?: 'staff' | 'member'; email?: string };

export function readUserSearch({ kind, email }: Record<string, unknown>): UserSearch {
  const text = typeof email === 'string' ? email.trim() : '';
  return {
    ...(kind === 'staff' || kind === 'member' ? { kind } : {}),
    ...(text === '' ? {} : { email: text }),
  };
}
