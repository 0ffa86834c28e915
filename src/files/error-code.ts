/** The `code` of an error: of Node, SQLite or PostgreSQL. Empty where there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
