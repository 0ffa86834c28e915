import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import { DateTime } from './date-time.tsx';

type DisableTime = { readonly disableTime?: Timestamp | undefined };

/** The state of a client, customer or user. `isFull` adds the time of a disabled one. */
export function EnabledBadge({ disableTime, isFull = false }: DisableTime & { isFull?: boolean }) {
  if (disableTime === undefined) {
    return (
      <Badge variant="light" color="teal">
        Enabled
      </Badge>
    );
  }
  return (
    <>
      <Badge variant="light" color="red">
        Disabled
      </Badge>
      {isFull ? (
        <>
          {' since '}
          <DateTime time={disableTime} precision="minute" />
        </>
      ) : null}
    </>
  );
}
