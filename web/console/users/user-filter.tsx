import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { TextLink } from '../parts/link.tsx';
import { readUserSearch, type UserSearch } from './user-search.ts';

/** What it holds stands in the address, so that a filtered list can be linked to. */
export function UserFilter({ search }: { readonly search: UserSearch }) {
  const navigate = useNavigate();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    void navigate({ to: '/users', search: readUserSearch(Object.fromEntries(fields)) });
  };
  return (
    <form onSubmit={send} key={JSON.stringify(search)} aria-label="Filter">
      <Group align="flex-end" gap="sm">
        <NativeSelect
          name="kind"
          label="Kind"
          defaultValue={search.kind ?? ''}
          data={[
            { value: '', label: 'Any' },
            { value: 'staff', label: 'Staff' },
            { value: 'member', label: 'Members' },
          ]}
        />
        <TextInput
          name="email"
          type="search"
          label="E-mail address, the whole"
          defaultValue={search.email ?? ''}
          maxLength={254}
          autoComplete="off"
          w="min(100%, 22rem)"
        />
        <Button type="submit" variant="default">
          Filter
        </Button>
        {search.kind === undefined && search.email === undefined ? null : (
          <TextLink to="/users" search={{}} py={6}>
            Show all
          </TextLink>
        )}
      </Group>
    </form>
  );
}
