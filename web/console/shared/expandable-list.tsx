import { Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

const shownMax = 20;
/** A smaller remainder is shown instead of the button. */
const restMin = 10;

/** A list of IDs or scopes that starts with the first ones. */
export function ExpandableList({ items }: { readonly items: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  const firstNew = useRef<HTMLLIElement>(null);
  const rest = items.length - shownMax;
  const isCut = rest > restMin && !isWhole;
  // The button with the focus has disappeared.
  useEffect(() => {
    if (isWhole) firstNew.current?.focus();
  }, [isWhole]);
  return (
    <Group component="ul" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }}>
      {(isCut ? items.slice(0, shownMax) : items).map((item, index) => (
        <li
          key={item}
          className="mono"
          {...(isWhole && index === shownMax ? { ref: firstNew, tabIndex: -1 } : {})}
        >
          {item}
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
