import { Stack } from '@mantine/core';

const shownMax = 4;

/** The first scopes, and the number of the others. */
export function ScopesCell({ scopes }: { readonly scopes: readonly string[] }) {
  const rest = scopes.length - shownMax;
  // Shows the last scope rather than `and 1 more`.
  const shown = rest > 1 ? scopes.slice(0, shownMax) : scopes;
  return (
    <Stack gap={0} miw="8.5rem">
      {scopes.length === 0 ? 'None' : null}
      {shown.map((scope) => (
        <span key={scope} className="mono">
          {scope}
        </span>
      ))}
      {rest > 1 ? <span>and {rest} more</span> : null}
    </Stack>
  );
}
