import { Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

const shownMax = 20;
/** So few more are shown, too, rather than a button. */
const restMin = 10;

/** Words such as ids and scopes: the first of them where there are many, and then all. */
export function ExpandableList({ words }: { readonly words: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  const firstNew = useRef<HTMLLIElement>(null);
  const rest = words.length - shownMax;
  const isCut = rest > restMin && !isWhole;
  // The button that had the focus is gone.
  useEffect(() => {
    if (isWhole) firstNew.current?.focus();
  }, [isWhole]);
  return (
    <Group component="ul" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }}>
      {(isCut ? words.slice(0, shownMax) : words).map((word, index) => (
        <li
          key={word}
          className="mono"
          {...(isWhole && index === shownMax ? { ref: firstNew, tabIndex: -1 } : {})}
        >
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
