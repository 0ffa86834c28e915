import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import { When } from './when.tsx';

type DisableTime = { readonly disableTime?: Timestamp | undefined };

/** Whether a client or a customer is enabled; in full, since when it is not. */
export function Able({ disableTime, isFull = false }: DisableTime & { isFull?: boolean }) {
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
          <When time={disableTime} />
        </>
      ) : null}
    </>
  );
}
