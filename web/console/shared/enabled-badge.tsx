import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import { DateTime } from './date-time.tsx';

type Times = {
  readonly disableTime?: Timestamp | undefined;
  readonly deleteTime?: Timestamp | undefined;
};

type EnabledBadgeProps = Times & { readonly isFull?: boolean };

/** The state of a client, customer, user or workspace. `isFull` adds a time. */
export function EnabledBadge({ disableTime, deleteTime, isFull = false }: EnabledBadgeProps) {
  if (deleteTime !== undefined) return <DeletedBadge deleteTime={deleteTime} isFull={isFull} />;
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

type DeletedBadgeProps = { readonly deleteTime: Timestamp; readonly isFull?: boolean };

function DeletedBadge({ deleteTime, isFull = false }: DeletedBadgeProps) {
  return (
    <>
      <Badge variant="light" color="gray">
        Deleted
      </Badge>
      {isFull ? (
        <>
          {' for good on '}
          <DateTime time={deleteTime} precision="minute" />
        </>
      ) : null}
    </>
  );
}
