/** Returns the path of a console URL; undefined for any other URL. */
export function consolePathOf(text: string): string | undefined {
  if (!URL.canParse(text, location.origin)) return undefined;
  const { origin, pathname, search, hash } = new URL(text, location.origin);
  if (origin !== location.origin || !pathname.startsWith('/console/')) return undefined;
  return `${pathname}${search}${hash}`;
}
