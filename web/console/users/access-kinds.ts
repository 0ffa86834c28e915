/** The words for the kinds of a user's access. */
import {
  type AccessList,
  AccessPart,
  type UserAccess,
} from '../../../gen/latchkey/identity/v1/user_access_pb.js';

export type AccessKind = {
  readonly key: {
    [K in keyof UserAccess]-?: UserAccess[K] extends AccessList | undefined ? K : never;
  }[keyof UserAccess];
  /** Undefined for resources that no part ends. */
  readonly part?: AccessPart;
  readonly title: string;
  /** One and several of them. */
  readonly nouns: readonly [string, string];
  /** Whether the detail of an item is a role. */
  readonly hasRole?: true;
};

export const accessKinds: readonly AccessKind[] = [
  {
    key: 'memberships',
    part: AccessPart.ROLES,
    title: 'Roles in workspaces',
    nouns: ['role in a workspace', 'roles in workspaces'],
    hasRole: true,
  },
  {
    key: 'sessions',
    part: AccessPart.SIGN_IN,
    title: 'Sessions',
    nouns: ['session', 'sessions'],
  },
  {
    key: 'passkeys',
    part: AccessPart.SIGN_IN,
    title: 'Passkeys',
    nouns: ['passkey', 'passkeys'],
  },
  {
    key: 'identities',
    part: AccessPart.SIGN_IN,
    title: 'Company accounts',
    nouns: ['company account', 'company accounts'],
  },
  {
    key: 'clientSecrets',
    part: AccessPart.CREDENTIALS,
    title: 'Client secrets',
    nouns: ['client secret', 'client secrets'],
  },
  {
    key: 'clientKeys',
    part: AccessPart.CREDENTIALS,
    title: 'Public keys of clients',
    nouns: ['public key of a client', 'public keys of clients'],
  },
  {
    key: 'federatedIdentities',
    part: AccessPart.CREDENTIALS,
    title: 'Federated identities',
    nouns: ['federated identity', 'federated identities'],
  },
  {
    key: 'customerKeys',
    part: AccessPart.CREDENTIALS,
    title: 'API keys of customers',
    nouns: ['API key of a customer', 'API keys of customers'],
  },
  {
    key: 'workspaceKeys',
    part: AccessPart.CREDENTIALS,
    title: 'API keys of workspaces',
    nouns: ['API key of a workspace', 'API keys of workspaces'],
  },
  { key: 'links', part: AccessPart.LINKS, title: 'Links', nouns: ['link', 'links'] },
  {
    key: 'sentInvitations',
    part: AccessPart.INVITATIONS,
    title: 'Sent invitations',
    nouns: ['sent invitation', 'sent invitations'],
    hasRole: true,
  },
  {
    key: 'receivedInvitations',
    part: AccessPart.INVITATIONS,
    title: 'Invitations to the user',
    nouns: ['invitation to the user', 'invitations to the user'],
    hasRole: true,
  },
  {
    key: 'identityProviders',
    title: 'Identity providers that the user created',
    nouns: ['identity provider', 'identity providers'],
  },
  {
    key: 'trustedIssuers',
    title: 'Trusted issuers that the user created',
    nouns: ['trusted issuer', 'trusted issuers'],
  },
  {
    key: 'audiences',
    title: 'Audiences that the user created',
    nouns: ['audience', 'audiences'],
  },
];

/** Such as `2 sessions, 1 link`. Empty if there is nothing. */
export const countsText = (access: UserAccess, part?: AccessPart): string =>
  countsOf(
    access,
    accessKinds.filter((kind) => part === undefined || kind.part === part),
  ).join(', ');

/** The same for the resources that no part ends, each by itself. */
export const keptCounts = (access: UserAccess | undefined): string[] =>
  access === undefined
    ? []
    : countsOf(
        access,
        accessKinds.filter((kind) => kind.part === undefined),
      );

const countsOf = (access: UserAccess, kinds: readonly AccessKind[]): string[] =>
  kinds.flatMap(({ key, nouns: [one, several] }) => {
    const count = access[key]?.totalSize ?? 0;
    return count === 0 ? [] : [`${count.toLocaleString()} ${count === 1 ? one : several}`];
  });

export const accessParts = [
  {
    part: AccessPart.SIGN_IN,
    label: 'Sign-in',
    about:
      'Disables the user, signs them out everywhere, and removes the password, the authenticator ' +
      'app, passkeys and company accounts.',
  },
  {
    part: AccessPart.ROLES,
    label: 'Roles and scopes',
    about: 'Removes the user from all workspaces, and removes all scopes.',
  },
  {
    part: AccessPart.CREDENTIALS,
    label: 'Secrets and keys',
    about: 'Revokes those that the user created. Programs that use them stop working.',
  },
  {
    part: AccessPart.LINKS,
    label: 'Links',
    about: 'Revokes the links that the user created. Open documents close within 20 seconds.',
  },
  {
    part: AccessPart.INVITATIONS,
    label: 'Invitations',
    about: 'Cancels those that the user sent or received.',
  },
] as const;
