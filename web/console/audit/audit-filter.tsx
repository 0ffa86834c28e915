import { Button, Group, NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { TextLink } from '../parts/link.tsx';
import { localText } from '../parts/local-time.ts';
import classes from './audit-filter.module.css';
import { type AuditSearch, readAuditSearch } from './audit-search.ts';
import { actions, codes, outcomeOf } from './audit-words.ts';

/** What it holds stands in the address, so that a filtered log can be linked to. */
export function AuditFilter({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate();
  const isFiltered = Object.keys(search).length > 0;
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    void navigate({ to: '/audit', search: readAuditSearch(Object.fromEntries(fields)) });
  };
  return (
    <Paper component="details" withBorder p="md" open={!isNarrow || isFiltered}>
      <summary className={classes.summary}>Filter</summary>
      <form onSubmit={send} key={JSON.stringify(search)} aria-label="Filter">
        <Stack gap="sm" pt="sm">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
            <Fields search={search} />
          </SimpleGrid>
          <Group gap="md">
            <Button type="submit" variant="default">
              Filter
            </Button>
            {isFiltered ? (
              <TextLink to="/audit" search={{}}>
                Show all
              </TextLink>
            ) : null}
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function Fields({ search }: { readonly search: AuditSearch }) {
  const { actor = '', target = '', action = '', code = '', start_time, end_time } = search;
  const outcomes = [...new Set([...codes, ...(code === '' ? [] : [code])])];
  return (
    <>
      <TextInput name="actor" label="Done by (id)" maxLength={128} defaultValue={actor} />
      <TextInput name="target" label="Done to (id)" maxLength={128} defaultValue={target} />
      <TextInput
        name="action"
        label="Action"
        list="actions"
        maxLength={128}
        autoComplete="off"
        defaultValue={action}
      />
      <datalist id="actions">
        {actions.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <NativeSelect
        name="code"
        label="Outcome"
        defaultValue={code}
        data={[
          { value: '', label: 'Any' },
          ...outcomes.map((value) => ({ value, label: outcomeOf(value).text })),
        ]}
      />
      <TextInput
        type="datetime-local"
        name="start_time"
        label="From"
        step={1}
        defaultValue={localOf(start_time)}
      />
      <TextInput
        type="datetime-local"
        name="end_time"
        label="Until, exclusive"
        step={1}
        defaultValue={localOf(end_time)}
      />
    </>
  );
}

const localOf = (time: string | undefined) =>
  time === undefined ? '' : localText(new Date(time), 'seconds');
