/** A field for the audiences of a client or customer, from the list of all audiences. */
import { Box, Checkbox, Stack, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import {
  AudienceService,
  type ListAudiencesResponse,
} from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { ListSearchField } from '../shared/lists/list-search-field.tsx';
import { LoadMore } from '../shared/lists/load-more.tsx';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import { validateCount } from '../shared/split-words.ts';
import { AudienceName } from './audience-links.tsx';

const audiencesMax = 50;
/** A longer list can be searched. */
const unsearchedMax = 10;

/** Returns the error of the field; null if it is valid. */
export const validateAudiences = (ids: readonly string[]) => validateCount(ids, audiencesMax);

type AudienceFieldProps = {
  readonly value: string[];
  readonly onChange: (ids: string[]) => void;
  readonly error?: ReactNode;
  /** The name of the field in the form. */
  readonly 'data-path'?: string;
  /** How long its tokens are valid at most. */
  readonly lifetime?: string;
  /** Whether the client or customer does not exist yet, and so has no tokens. */
  readonly isNew?: boolean;
};

const rowsOf = (page: ListAudiencesResponse) => page.audiences;

/** For users who may list audiences. */
export function AudienceField({ lifetime, isNew = false, ...group }: AudienceFieldProps) {
  const { value } = group;
  const list = usePagedList(AudienceService.method.listAudiences, {}, rowsOf, { name: null });
  const { rows = [], search, total = 0 } = list;
  const [before] = useState(value);
  const listed = new Set(rows.map(({ id }) => id));
  // Audiences that are granted stay in the list while it is searched.
  const others = [...new Set([...before, ...value])].filter((id) => !listed.has(id));
  const isSearched = search !== undefined && (search.query !== '' || total > unsearchedMax);
  return (
    <>
      <Checkbox.Group
        label="Audiences"
        description="The services that accept its tokens. Choose none for this service only."
        {...group}
      >
        <Stack gap="sm" mt="xs">
          <ErrorAlert error={list.error} retry={list.reload} />
          {isSearched ? (
            <Box onKeyDown={keepForm}>
              <ListSearchField label="Audiences" search={search} />
            </Box>
          ) : null}
          {list.rows !== undefined && rows.length === 0 ? (
            <Text size="sm">
              {search?.query ? 'No results' : 'No audiences yet. Create one first.'}
            </Text>
          ) : null}
          {others.map((id) => (
            <Checkbox key={id} value={id} label={<AudienceName id={id} />} />
          ))}
          {rows.map(({ id, name, identifier }) => (
            <Checkbox key={id} value={id} label={<bdi>{name}</bdi>} description={identifier} />
          ))}
        </Stack>
      </Checkbox.Group>
      <LoadMore list={list} />
      <Text size="sm" role="status">
        {isNew ? '' : lossText(before, value, lifetime)}
      </Text>
    </>
  );
}

/** Enter would submit the form. */
function keepForm(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault();
}

/** Warns about tokens that the change ends. Without audiences, they are for this service. */
function lossText(before: readonly string[], now: readonly string[], lifetime?: string): string {
  const isFirst = before.length === 0 && now.length > 0;
  const isRemoved = before.some((id) => !now.includes(id));
  if (!isFirst && !isRemoved) return '';
  const lost = isFirst
    ? 'tokens for this service, unless an audience has its identifier. '
    : 'tokens for removed audiences. ';
  return `Latchkey immediately rejects existing ${lost}${offlineVerificationNote(lifetime)}`;
}
