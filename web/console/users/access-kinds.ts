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

type KindOptions = Pick<AccessKind, 'part' | 'hasRole'>;

const kindOf = (
  key: AccessKind['key'],
  nouns: AccessKind['nouns'],
  options: KindOptions = {},
): AccessKind => {
  const several = `${nouns[1].charAt(0).toUpperCase()}${nouns[1].slice(1)}`;
  const title = options.part === undefined ? `${several} that the user created` : several;
  return { key, nouns, title, ...options };
};

const signIn = { part: AccessPart.SIGN_IN };
const credential = { part: AccessPart.CREDENTIALS };
const invitation = { part: AccessPart.INVITATIONS, hasRole: true } as const;

export const accessKinds: readonly AccessKind[] = [
  kindOf('memberships', ['role in a workspace', 'roles in workspaces'], {
    part: AccessPart.ROLES,
    hasRole: true,
  }),
  kindOf('sessions', ['session', 'sessions'], signIn),
  kindOf('passkeys', ['passkey', 'passkeys'], signIn),
  kindOf('identities', ['company account', 'company accounts'], signIn),
  kindOf('clientSecrets', ['client secret', 'client secrets'], credential),
  kindOf('clientKeys', ['public key of a client', 'public keys of clients'], credential),
  kindOf('federatedIdentities', ['federated identity', 'federated identities'], credential),
  kindOf('customerKeys', ['API key of a customer', 'API keys of customers'], credential),
  kindOf('workspaceKeys', ['API key of a workspace', 'API keys of workspaces'], credential),
  kindOf('links', ['link', 'links'], { part: AccessPart.LINKS }),
  kindOf('sentInvitations', ['sent invitation', 'sent invitations'], invitation),
  kindOf('receivedInvitations', ['invitation to the user', 'invitations to the user'], invitation),
  kindOf('identityProviders', ['identity provider', 'identity providers']),
  kindOf('trustedIssuers', ['trusted issuer', 'trusted issuers']),
  kindOf('audiences', ['audience', 'audiences']),
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
