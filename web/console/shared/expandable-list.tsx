import { Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

const shownMax = 20;
/** A smaller remainder is shown instead of the button. */
const restMin = 10;

/** Whether the list first shows only some of this many items. */
export const isShortened = (count: number) => count - shownMax > restMin;

/** A list of IDs or scopes that starts with the first ones. */
export function ExpandableList({ items }: { readonly items: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  const firstNew = useRef<HTMLLIElement>(null);
  const rest = items.length - shownMax;
  const isCut = isShortened(items.length) && !isWhole;
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
