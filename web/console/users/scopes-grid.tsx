/** Checkboxes for scopes: a row per area, columns for read and write. */
import { Checkbox, Table, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useSessionState } from '../session/session-context.tsx';

type ScopesGridProps<Values> = {
  readonly form: UseFormReturnType<Values>;
  /** The current scopes of the user, which can be kept even if they could not be granted. */
  readonly held: readonly string[];
};

export function ScopesGrid<Values extends { scopes: string[] }>({
  form,
  held,
}: ScopesGridProps<Values>) {
  const state = useSessionState();
  const own = state.status === 'in' ? state.scopes : new Set<string>();
  const offered = new Set([...own, ...held].filter((scope) => scope.includes(':')));
  const areas = [...new Set([...offered].map((scope) => scope.split(':')[0] ?? ''))].sort();
  return (
    <Checkbox.Group
      label="Scopes"
      description="For all workspaces. You can grant scopes you have. Write doesn’t include read."
      key={form.key('scopes')}
      {...form.getInputProps('scopes')}
    >
      {areas.length === 0 ? <Text mt="xs">You have no scopes to grant.</Text> : null}
      <Table verticalSpacing={6} mt="xs" withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Area</Table.Th>
            <Table.Th scope="col">Read</Table.Th>
            <Table.Th scope="col">Write</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {areas.map((area) => (
            <Table.Tr key={area}>
              <Table.Th scope="row" fw={400} className="mono">
                {area}
              </Table.Th>
              {['read', 'write'].map((access) => {
                const scope = `${area}:${access}`;
                return (
                  <Table.Td key={access}>
                    {offered.has(scope) ? <Checkbox value={scope} aria-label={scope} /> : null}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Checkbox.Group>
  );
}
