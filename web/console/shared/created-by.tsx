/** Who created a resource. Nothing for a resource of the service itself. */
import type { Fact } from './facts.tsx';
import type { Column } from './lists/define-list.ts';
import { ResourceLink } from './resource-link.tsx';

type Created = { readonly creator: string; readonly creatorName: string };

export function createdByFacts({ creator: id, creatorName: name }: Created): Fact[] {
  if (id === '') return [];
  return [{ name: 'Created by', value: <ResourceLink id={id} name={name} /> }];
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
