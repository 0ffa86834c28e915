import { Button, Group } from '@mantine/core';
import { useState } from 'react';

const shownMax = 20;

/** Words such as ids and scopes: the first of them where there are many, and then all. */
export function Some({ words }: { readonly words: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  const rest = words.length - shownMax;
  const isCut = rest > 0 && !isWhole;
  return (
    <Group component="ul" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }}>
      {(isCut ? words.slice(0, shownMax) : words).map((word) => (
        <li key={word} className="mono">
          {word}
        </li>
      ))}
      {isCut ? (
        <li>
          <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
            Show {rest} more
          </Button>
        </li>
      ) : null}
    </Group>
  );
}
