/** The `code` of a Node, SQLite or PostgreSQL error. Empty if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
