import { useQuery } from '@connectrpc/connect-query';
import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate, useParams } from '@tanstack/react-router';
import {
  type TrustedIssuer,
  TrustedIssuerService,
} from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { DisableOrEnable } from '../shared/action-button.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { pathsOfChanges, withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { IssuerFields, type IssuerValues } from './issuer-fields.tsx';
import { IssuerState } from './issuer-state.tsx';
import { sourceOf, toRequestFields } from './key-source.ts';

const readingPauseMs = 2_000;

/** The service tries again every minute. */
const failedPauseMs = 20_000;

export function TrustedIssuerScreen() {
  const { issuerId } = useParams({ from: '/shell/trusted-issuers/$issuerId' });
  const mayWrite = useHasScope()('trusted_issuers:write');
  const query = useQuery(
    TrustedIssuerService.method.getTrustedIssuer,
    { issuerId },
    // The service reads the keys in the background.
    {
      refetchInterval: ({ state: { data } }) => {
        if (!isUnread(data?.trustedIssuer)) return false;
        return data?.trustedIssuer?.refreshError === '' ? readingPauseMs : failedPauseMs;
      },
    },
  );
  const issuer = query.data?.trustedIssuer;
  return (
    <Screen
      title={issuer?.name || issuer?.issuer}
      actions={mayWrite && issuer !== undefined ? <Actions issuer={issuer} /> : undefined}
    >
      <QueryResult value={issuer} query={query} label="trusted issuer">
        {(found) => (
          <>
            <IssuerFacts {...found} />
            <AuditLinks id={found.id} isActor={false} />
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

TrustedIssuerScreen.reads = [TrustedIssuerService.method.getTrustedIssuer];

/** Whether an enabled issuer without pinned keys waits for a successful read. */
const isUnread = (issuer: TrustedIssuer | undefined) =>
  issuer?.enabled === true &&
  issuer.jwks === undefined &&
  (issuer.refreshTime === undefined || issuer.refreshError !== '');

const sourceTexts = {
  discovery: 'Found by discovery',
  url: 'Read from a URL',
  pinned: 'Pinned',
};

const retryText = ' Latchkey tries again every minute.';

function IssuerFacts(issuer: TrustedIssuer) {
  const { id, audience, enabled, keyIds, jwksUri, refreshTime, refreshError } = issuer;
  const isPinned = issuer.jwks !== undefined;
  return (
    <Facts
      facts={[
        { name: 'Issuer', value: <CopyableText text={issuer.issuer} label="issuer" /> },
        { name: 'ID', value: <CopyableText text={id} label="ID" /> },
        { name: 'State', value: <IssuerState issuer={issuer} /> },
        { name: 'Audience', value: audience || 'The address of this service' },
        { name: 'Keys', value: sourceTexts[sourceOf(issuer)] },
        jwksUri !== '' && {
          name: 'URL',
          value: <CopyableText text={jwksUri} label="URL of the keys" />,
        },
        { name: 'Key IDs', value: keyIds.length === 0 ? '—' : <ExpandableList items={keyIds} /> },
        !isPinned && {
          name: 'Keys read',
          value: <DateTime time={refreshTime} precision="minute" absent="Not yet" />,
        },
        refreshError !== '' && {
          name: 'Problem',
          value: `${refreshError}${enabled ? retryText : ''}`,
        },
        ...historyFacts(issuer),
      ]}
    />
  );
}

function Actions({ issuer }: { readonly issuer: TrustedIssuer }) {
  const { open, confirm } = useDialogs();
  const navigate = useNavigate();
  const update = useMethod(TrustedIssuerService.method.updateTrustedIssuer);
  const remove = useMethod(TrustedIssuerService.method.deleteTrustedIssuer);
  const { id: issuerId, enabled } = issuer;
  const name = isolateName(issuer.name || issuer.issuer);
  const setEnabled = (next: boolean) => update({ issuerId, ...withMask({ enabled: next }) });
  const askToDisable = () =>
    confirm({
      title: `Disable “${name}”?`,
      consequence:
        'Its tokens authenticate no client any more. Tokens that Latchkey issued for them remain ' +
        'valid until they expire. You can enable it again.',
      label: 'Disable',
      done: 'Trusted issuer disabled',
      run: () => setEnabled(false),
    });
  const askToDelete = () =>
    confirm({
      title: `Delete “${name}”?`,
      consequence:
        'Its tokens authenticate no client any more. Delete the federated identities of its ' +
        'clients first. You can’t undo this.',
      label: 'Delete',
      done: 'Trusted issuer deleted',
      run: async () => {
        await remove({ issuerId });
        await navigate({ to: '/trusted-issuers' });
      },
    });
  return (
    <>
      <Button variant="default" onClick={() => open(<EditIssuerDialog issuer={issuer} />)}>
        Edit
      </Button>
      <DisableOrEnable
        isEnabled={enabled}
        askToDisable={askToDisable}
        enable={() => setEnabled(true)}
      />
      <Button variant="default" onClick={askToDelete}>
        Delete
      </Button>
    </>
  );
}

function EditIssuerDialog({ issuer }: { readonly issuer: TrustedIssuer }) {
  const update = useMethod(TrustedIssuerService.method.updateTrustedIssuer);
  const initialValues: IssuerValues = {
    name: issuer.name,
    audience: issuer.audience,
    source: sourceOf(issuer),
    jwksUri: issuer.jwksUri,
    jwks: issuer.jwks === undefined ? '' : JSON.stringify(issuer.jwks, undefined, 2),
  };
  const form = useForm({ initialValues });
  return (
    <FormDialog
      title="Edit trusted issuer"
      label="Save"
      done="Trusted issuer saved"
      form={form}
      submit={(values) =>
        update({
          issuerId: issuer.id,
          etag: issuer.etag,
          name: values.name,
          audience: values.audience,
          ...toRequestFields(values),
          updateMask: { paths: pathsOf(values, initialValues) },
        })
      }
    >
      <IssuerFields form={form} />
    </FormDialog>
  );
}

/** New keys are read at once, so that unchanged fields are left out. */
function pathsOf(values: IssuerValues, before: IssuerValues): string[] {
  const { name, audience, ...keys } = values;
  const { name: nameBefore, audience: audienceBefore, ...keysBefore } = before;
  return [
    ...pathsOfChanges({ name, audience }, { name: nameBefore, audience: audienceBefore }),
    ...(pathsOfChanges(keys, keysBefore).length === 0 ? [] : ['jwks_uri', 'jwks']),
  ];
}
