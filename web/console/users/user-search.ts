/** The filter of the user list in the URL. */
export type UserSearch = { kind?: 'staff' | 'member'; email?: string };

export function readUserSearch({ kind, email }: Record<string, unknown>): UserSearch {
  const text = typeof email === 'string' ? email.trim() : '';
  return {
    ...(kind === 'staff' || kind === 'member' ? { kind } : {}),
    ...(text === '' ? {} : { email: text }),
  };
}
