/** The custom domains of a workspace. */
import { Badge, Button, Group } from '@mantine/core';
import { IconCheck, IconLink, IconLinkOff, IconTrash, IconWorld } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import {
  type Domain,
  DomainService,
  DomainState,
} from '../../../gen/latchkey/sharing/v1/domain_pb.js';
import { useUser } from '../session/session-context.tsx';
import { createdByColumn } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { CreateDomainDialog, VerifyDomainDialog } from './domain-dialogs.tsx';

const domains = defineList({
  label: 'Domains',
  method: DomainService.method.listDomains,
  rows: (page) => page.domains,
  columns: [
    { title: 'Domain', cell: ({ name }) => name },
    { title: 'State', isPlain: true, cell: (domain) => <StateBadges domain={domain} /> },
    {
      title: 'Added',
      orderBy: 'create_time',
      isNewestFirst: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    createdByColumn<Domain>('Added by'),
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'workspaces:write',
      cell: (domain) => <Actions domain={domain} />,
    },
  ],
});

export function DomainsScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/settings/domains' });
  return (
    <ListScreen
      list={useList(domains, { workspaceId })}
      about={
        'Readers can open the links of this workspace under your own domain. A workspace can ' +
        'have up to 10 domains.'
      }
      create={<CreateDomainDialog workspaceId={workspaceId} />}
      empty={{
        title: 'No domains yet',
        text: 'Add one to share links such as https://docs.example.com/s/….',
        icon: IconWorld,
      }}
    />
  );
}

DomainsScreen.reads = [domains];

const isVerified = ({ state }: Domain) => state === DomainState.VERIFIED;

function StateBadges({ domain }: { readonly domain: Domain }) {
  return (
    <Group gap={4} component="span" display="inline-flex">
      {isVerified(domain) ? (
        <Badge variant="light" color="teal">
          Verified
        </Badge>
      ) : (
        <Badge variant="light" color="orange">
          Not verified
        </Badge>
      )}
      {domain.primary ? <Badge variant="light">Used for links</Badge> : null}
    </Group>
  );
}

function Actions({ domain }: { readonly domain: Domain }) {
  const { id: domainId, workspaceId, name, primary } = domain;
  const isStaff = useUser().kind === 'staff';
  const { open, confirm } = useDialogs();
  const update = useMethod(DomainService.method.updateDomain);
  const approve = useMethod(DomainService.method.approveDomain);
  const remove = useMethod(DomainService.method.deleteDomain);
  const setPrimary = (value: boolean) =>
    update({ workspaceId, domainId, ...withMask({ primary: value }) });
  const use = () =>
    confirm({
      title: `Use ${name} for links?`,
      consequence:
        'The URLs of all links get this domain, also in new emails. URLs that you shared before ' +
        'keep working.',
      label: 'Use for links',
      isDestructive: false,
      run: () => setPrimary(true),
    });
  const stopUsing = () =>
    confirm({
      title: `Stop using ${name} for links?`,
      consequence:
        'The URLs of links get the address of the service again. URLs with the domain keep ' +
        'working.',
      label: 'Stop using',
      isDestructive: false,
      run: () => setPrimary(false),
    });
  const askToApprove = () =>
    confirm({
      title: `Approve ${name} without a DNS record?`,
      consequence: 'Do this only if you know that the workspace may use the domain.',
      label: 'Approve',
      isDestructive: false,
      run: () => approve({ workspaceId, domainId }),
      done: 'Domain verified',
    });
  const askToDelete = () =>
    confirm({
      title: `Delete ${name}?`,
      consequence: isVerified(domain)
        ? 'URLs with this domain stop working at once, also those that you have sent to readers. ' +
          'The links keep working under their other URLs.'
        : 'The domain is not in use, so no URL stops working.',
      label: 'Delete',
      run: () => remove({ workspaceId, domainId }),
      done: 'Domain deleted',
    });
  const primaryAction = primary
    ? { label: 'Stop using for links', icon: IconLinkOff, run: stopUsing }
    : { label: 'Use for links', icon: IconLink, run: use };
  return (
    <RowMenu
      name={name}
      actions={[
        isVerified(domain) && primaryAction,
        isStaff && !isVerified(domain) && { label: 'Approve', icon: IconCheck, run: askToApprove },
        { label: 'Delete', icon: IconTrash, run: askToDelete },
      ]}
    >
      {isVerified(domain) ? null : (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => open(<VerifyDomainDialog domain={domain} />)}
        >
          Verify
        </Button>
      )}
    </RowMenu>
  );
}
