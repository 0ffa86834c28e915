/** Who created a resource, and when it was created and changed. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { DateTime } from './date-time.tsx';
import type { OptionalFact } from './facts.tsx';
import type { Column } from './lists/define-list.ts';
import { ResourceLink } from './resource-link.tsx';

type Created = { readonly creator: string; readonly creatorName: string };

type Changed = Partial<Created> & {
  readonly createTime?: Timestamp | undefined;
  readonly updateTime?: Timestamp | undefined;
};

/** `created`: what the creation is called. */
export function historyFacts(resource: Changed, created = 'Created'): OptionalFact[] {
  const { createTime, updateTime, creator = '', creatorName = '' } = resource;
  const isChanged =
    createTime !== undefined &&
    updateTime !== undefined &&
    timestampMs(updateTime) > timestampMs(createTime);
  return [
    { name: created, value: <DateTime time={createTime} precision="minute" /> },
    // The service itself has created it.
    creator !== '' && {
      name: 'Created by',
      value: <ResourceLink id={creator} name={creatorName} />,
    },
    isChanged && { name: 'Last changed', value: <DateTime time={updateTime} precision="minute" /> },
  ];
}

/** For rows without a page. */
export function createdByColumn<Row extends Created>(title = 'Created by'): Column<Row> {
  return {
    title,
    isSpare: true,
    isAbsent: ({ creator }) => creator === '',
    cell: ({ creator: id, creatorName: name }) => <ResourceLink id={id} name={name} />,
  };
}

/** The newest first when the list is sorted by it. */
export function createdColumn<Row extends Changed>({ isMinor = false } = {}): Column<Row> {
  return {
    title: 'Created',
    orderBy: 'create_time',
    isNewestFirst: true,
    isMinor,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  };
}
