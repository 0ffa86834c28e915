import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { FilterForm } from '../shared/filter-form.tsx';
import { readUserSearch, type UserSearch } from './user-search.ts';

export function UserFilterForm({ search }: { readonly search: UserSearch }) {
  const navigate = useNavigate();
  return (
    <FilterForm
      values={search}
      labels={{ email: 'Email address', kind: 'Type' }}
      filter={(fields) => void navigate({ to: '/users', search: readUserSearch(fields) })}
    >
      <TextInput
        name="email"
        type="search"
        label="Email address"
        placeholder="Complete address"
        maxLength={254}
        autoComplete="off"
      />
      <NativeSelect
        name="kind"
        label="Type"
        data={[
          { value: '', label: 'Any' },
          { value: 'staff', label: 'Staff' },
          { value: 'member', label: 'Members' },
        ]}
      />
    </FilterForm>
  );
}
