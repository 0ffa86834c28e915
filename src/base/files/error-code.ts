/** Returns the `code` of a Node, SQLite or PostgreSQL error, or an empty text without one. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
