/** Shows the workspace and changes to another one. */
import { useQuery } from '@connectrpc/connect-query';
import {
  Combobox,
  Group,
  Loader,
  Text,
  UnstyledButton,
  useCombobox,
  VisuallyHidden,
} from '@mantine/core';
import { IconCheck, IconLayoutGrid, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import classes from './shell.module.css';

/** The value of the option that opens the list of workspaces. */
const allWorkspaces = 'all';

type WorkspaceSwitcherProps = {
  /** Undefined before the user has opened a workspace. */
  readonly workspaceId: string | undefined;
};

export function WorkspaceSwitcher({ workspaceId }: WorkspaceSwitcherProps) {
  const navigate = useNavigate();
  const name = useWorkspaceName(workspaceId);
  const combobox = useCombobox({
    onDropdownClose: () => combobox.resetSelectedOption(),
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  function choose(value: string) {
    combobox.closeDropdown();
    if (value === allWorkspaces) return void navigate({ to: '/workspaces' });
    void navigate({ to: '/workspaces/$workspaceId/documents', params: { workspaceId: value } });
  }
  return (
    <Combobox store={combobox} onOptionSubmit={choose} width={280} position="bottom-start">
      <Combobox.Target targetType="button">
        <UnstyledButton className={classes.switcher} onClick={() => combobox.toggleDropdown()}>
          <span className={classes.letter} aria-hidden>
            {workspaceId === undefined ? <IconLayoutGrid size={14} /> : [...name][0]}
          </span>
          <VisuallyHidden>Workspace: </VisuallyHidden>
          <Text span size="sm" fw={500} truncate flex={1} title={name}>
            {name}
          </Text>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        {combobox.dropdownOpened ? <Workspaces current={workspaceId} /> : null}
      </Combobox.Dropdown>
    </Combobox>
  );
}

function useWorkspaceName(workspaceId: string | undefined): string {
  const { data } = useQuery(
    WorkspaceService.method.getWorkspace,
    { workspaceId: workspaceId ?? '' },
    { enabled: workspaceId !== undefined },
  );
  return workspaceId === undefined ? 'Choose a workspace' : (data?.workspace?.name ?? '…');
}

function Workspaces({ current }: { readonly current: string | undefined }) {
  const mayList = useHasScope()('workspaces:read');
  const { rows, hasMore, search } = usePagedList(
    WorkspaceService.method.listWorkspaces,
    {},
    (page) => page.workspaces,
    { enabled: mayList, name: null },
  );
  return (
    <>
      {search === undefined ? null : (
        <Combobox.Search
          defaultValue={search.query}
          onChange={(event) => search.change(event.currentTarget.value)}
          placeholder="Search workspaces"
          aria-label="Search workspaces"
        />
      )}
      <Combobox.Options mah={320} style={{ overflowY: 'auto' }} aria-label="Workspaces">
        {rows === undefined ? <Loader size="sm" m="sm" aria-label="Loading workspaces" /> : null}
        {rows?.map(({ id, name }) => (
          <Combobox.Option key={id} value={id} active={id === current}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text span size="sm" truncate>
                {name}
              </Text>
              {id === current ? <IconCheck size={16} aria-hidden /> : null}
            </Group>
          </Combobox.Option>
        ))}
        {rows?.length === 0 ? <Combobox.Empty>No matching workspace</Combobox.Empty> : null}
        <Combobox.Option value={allWorkspaces} className={classes.last ?? ''}>
          {hasMore ? 'Show all workspaces…' : 'All workspaces'}
        </Combobox.Option>
      </Combobox.Options>
    </>
  );
}
