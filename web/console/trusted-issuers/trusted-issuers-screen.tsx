import { IconCloudLock } from '@tabler/icons-react';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { createdColumn } from '../shared/creation.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { AddIssuerDialog } from './add-issuer-dialog.tsx';
import { IssuerState } from './issuer-state.tsx';

const issuers = defineList({
  label: 'Trusted issuers',
  method: TrustedIssuerService.method.listTrustedIssuers,
  rows: (page) => page.trustedIssuers,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      isFree: true,
      cell: ({ id, name, issuer }) => (
        <TextLink to="/trusted-issuers/$issuerId" params={{ issuerId: id }}>
          {name || issuer}
        </TextLink>
      ),
    },
    { title: 'Issuer', isFree: true, isPlain: true, cell: ({ issuer }) => issuer },
    { title: 'State', isPlain: true, cell: (issuer) => <IssuerState issuer={issuer} /> },
    createdColumn({ isMinor: true }),
  ],
});

export function TrustedIssuersScreen() {
  return (
    <ListScreen
      list={useList(issuers, {})}
      about={
        'Platforms whose tokens replace client secrets: CI jobs and pods act as a client and ' +
        'store no secret.'
      }
      create={<AddIssuerDialog />}
      empty={{
        title: 'No trusted issuers yet',
        text: 'Add your CI or your cluster, then add a federated identity to a client.',
        icon: IconCloudLock,
      }}
      emptyText="You don’t have permission to add issuers."
    />
  );
}

TrustedIssuersScreen.reads = [issuers];
