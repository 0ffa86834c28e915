import { Text, VisuallyHidden } from '@mantine/core';

/** The first scope and the number of the others; all of them on hover and for screen readers. */
export function ScopesCell({ scopes }: { readonly scopes: readonly string[] }) {
  const [first, ...others] = scopes;
  if (first === undefined) return <>None</>;
  return (
    <span title={scopes.join('\n')}>
      <span className="mono">{first}</span>
      {others.length === 0 ? null : (
        <>
          <Text span size="xs" c="dimmed" aria-hidden>
            {` +${others.length}`}
          </Text>
          <VisuallyHidden>, {others.join(', ')}</VisuallyHidden>
        </>
      )}
    </span>
  );
}
