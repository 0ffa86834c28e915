/** The actions of audit events in words, such as `Jane` `created the client` `Reports`. */
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';

/** The words for a done and for a refused action. */
type Verb = { readonly did: string; readonly tried: string };

const irregular: Readonly<Record<string, string>> = {
  get: 'got',
  leave: 'left',
  read: 'read',
  reset: 'reset',
  send: 'sent',
  set: 'set',
  withdraw: 'withdrew',
};

/** Such as `created` for `create`, and `verified` for `verify`. */
const pastOf = (verb: string) =>
  irregular[verb] ?? `${verb.replace(/e$/, '').replace(/(?<=[^aeiou])y$/, 'i')}ed`;

const verb = (tried: string): Verb => ({ did: tried.replace(/^\w+/, pastOf), tried });

const sameVerbs =
  'Activate Approve Create Delete Disable Download Enable Export Leave List Remove Replace ' +
  'Restore Revoke Rotate Upload Verify';

/** The verbs for the first words of method names. */
const verbs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(sameVerbs.split(' ').map((word) => [word, word.toLowerCase()])),
  Get: 'read',
  Purge: 'delete for good',
  Put: 'set',
  Read: 'open',
  Undelete: 'restore',
  Update: 'change',
};

/** Actions that need other words than those of their names: also done, if the verb differs. */
const actions: Readonly<Record<string, string | readonly [did: string, tried: string]>> = {
  'ClientService.ListClientSecrets': 'list the secrets of',
  'ClientService.RotateClientSecret': 'rotate a secret of',
  'CustomerService.PutAccounts': 'change the accounts of',
  'IdentityProviderService.ApplyMappings': 'apply the groups of the provider to',
  'IdentityProviderService.DeleteUserIdentity': 'unlink the account',
  'IdentityProviderService.LinkUser': 'link an account of a provider to',
  'IdentityProviderService.ListUserIdentities': 'list the linked accounts of',
  'InsightService.MarkNoticesRead': 'mark notices as read in',
  'InstallationService.ConfirmMasterKeyCopy': 'confirm a copy of the master key',
  'InvitationService.AcceptInvitation': 'accept the invitation',
  'InvitationService.JoinWorkspace': 'join a workspace with the invitation',
  'DocumentService.DeleteVersion': 'delete a version of',
  'DocumentService.ListVersions': 'list the versions of',
  'DocumentService.RestoreVersion': 'restore a version of',
  'DocumentService.UploadVersion': 'upload a version of',
  'IssuanceService.ExchangeApiKey': ['got a token with the API key', 'get a token for'],
  'IssuanceService.IssueToken': 'get a token for',
  'LinkService.BatchCreateLinks': ['created the link', 'create links for recipients'],
  'LinkService.BatchRevokeLinks': ['revoked the link', 'revoke links'],
  'LinkService.BatchUpdateLinks': ['changed the link', 'change links'],
  'LinkService.ListLinkViews': 'list the views of',
  'MasterKey.Rotate': ['encrypted all secrets with a new master key', 'change the master key'],
  'OAuthService.Introspect': 'verify a token',
  'OAuthService.Revoke': 'revoke a token of',
  'PasswordResetService.RequestPasswordReset': [
    'requested a link to reset the password of',
    'request a link to reset a password',
  ],
  'PasswordResetService.ResetPassword': 'reset the password of',
  'PasskeyService.ListPasskeys': 'list the passkeys of',
  'PasskeyService.StartPasskeyRegistration': ['started to add a passkey', 'add a passkey'],
  'SearchService.Search': 'search for resources',
  'SessionService.ApproveDeviceSignIn': 'approve a command-line sign-in',
  'SessionService.DenyDeviceSignIn': 'deny a command-line sign-in',
  'SessionService.FindDeviceSignIn': 'look up a command-line sign-in',
  'SessionService.GetSignInOptions': 'read how to sign in',
  'SessionService.ListUserSessions': 'list the sessions of',
  'SessionService.LogOutByProvider': 'end the sessions at the request of the provider of',
  'SessionService.RefreshSession': 'continue a session',
  'SessionService.RevokeSession': 'sign out the session',
  'SessionService.RevokeUserSession': 'sign out the session',
  'SessionService.RevokeUserSessions': 'sign out all sessions of',
  'SessionService.SignIn': 'sign in',
  'SessionService.SignInWithDeviceCode': 'sign in on the command line through a browser',
  'SessionService.SignInWithPasskey': 'sign in with the passkey',
  'SessionService.SignInWithProvider': 'sign in with a company account',
  'SessionService.StartDeviceSignIn': [
    'started to sign in on the command line',
    'sign in on the command line',
  ],
  'SessionService.StartPasskeySignIn': [
    'started to sign in with a passkey',
    'sign in with a passkey',
  ],
  'SessionService.SignOut': 'sign out',
  'SessionService.UseRecoveryCode': 'accept a recovery code of',
  'Staff.Recover': 'restore the access of',
  'UserAccessService.GetUserAccess': 'read the access of',
  'UserAccessService.RevokeAllAccess': 'end the access of',
  'UserService.ConfirmTotp': ['turned on two-factor authentication', 'turn on two-factor'],
  'UserService.CreateRecoveryCodes': 'create recovery codes',
  'UserService.EnrolTotp': ['started to add an authenticator app', 'add an authenticator app'],
  'UserService.RemoveTotp': 'remove an authenticator app of',
  'UserService.SetPassword': 'set the password of',
  'UserService.WithdrawPasswordLink': 'withdraw the password link to',
  'UserService.MailPasswordLink': 'mail a password link to',
  'VisitorService.DeleteVisitor': 'erase the reader',
  'VerificationService.RevokeToken': 'revoke a token of',
  'VerificationService.VerifyToken': 'verify a token',
  'WorkspaceService.CreateInvitation': ['sent the invitation', 'send an invitation'],
  'WorkspaceService.DeleteWorkspaceLogo': 'delete the logo of',
  'WorkspaceService.PutMember': 'set the role of the member',
  'WorkspaceService.PutWorkspaceLogo': 'set the logo of',
};

/** Nouns that differ from the words of the method name. */
const nouns: Record<string, string> = {
  ApiKey: 'API key',
  ApiKeys: 'API keys',
  Jwks: 'published keys',
};

type Described = Pick<AuditEvent, 'action' | 'code'>;
type Acted = Pick<AuditEvent, 'actor' | 'target'>;

export function describeAction({ action, code }: Described): string {
  const words = knownWords(action) ?? wordsOf(action);
  if (words === undefined) return code === 'ok' ? `did ${action}` : `tried ${action}`;
  return code === 'ok' ? words.did : `tried to ${words.tried}`;
}

function knownWords(action: string): Verb | undefined {
  const words = actions[action];
  if (words === undefined) return undefined;
  return typeof words === 'string' ? verb(words) : { did: words[0], tried: words[1] };
}

const prepositionAtEnd = / (?:of|for|to)$/;

/** The words for a done action alone, such as `Rotated a secret`. */
export function actionLabel(action: string): string {
  const words = describeAction({ action, code: 'ok' }).replace(prepositionAtEnd, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const signIns = new Set([
  'SessionService.SignIn',
  'SessionService.SignInWithDeviceCode',
  'SessionService.SignInWithPasskey',
  'SessionService.SignInWithProvider',
]);

/** The words before the target. A refused call may have no target. */
export function actionWords(event: Described & Acted): string {
  const words = describeAction(event);
  const credential = claimedCredential(event);
  if (!namesTarget(event) || credential !== undefined) {
    const alone = withIndefiniteArticle(event, words.replace(prepositionAtEnd, ''));
    return credential === undefined ? alone : `${alone} with the ${credential}`;
  }
  if (tokenId.test(event.target)) return words.replace(/a token of$/, 'the token');
  return signIns.has(event.action) ? `${words} as` : words;
}

/** The target of a token that was revoked by its id. */
const tokenId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The `u` of “user” does not sound like a vowel. */
const vowel = /^(?:[aeio]|u(?!s))/i;

/** A refused creation has made no resource: `tried to create a client`. */
function withIndefiniteArticle({ code, target }: Described & Acted, words: string): string {
  if (code === 'ok' || target !== '') return words;
  return words.replace(/^(tried to (?:create|upload)) the (.*)$/, (_, start, rest) =>
    /s$/.test(rest) ? `${start} ${rest}` : `${start} ${vowel.test(rest) ? 'an' : 'a'} ${rest}`,
  );
}

/** The target of a failed authentication is the credential, not what the call was about. */
function claimedCredential({ code, target }: Described & Acted): string | undefined {
  if (code !== 'unauthenticated' && code !== 'identity.credential_invalid') return undefined;
  if (target.startsWith('key_')) return 'API key';
  return target.startsWith('sec_') ? 'client secret' : undefined;
}

/** `ClientService.CreateClient` becomes `created the client`. */
function wordsOf(action: string): Verb | undefined {
  const [, first = '', rest = ''] = /\.([A-Z][a-z]+)(\w*)$/.exec(action) ?? [];
  const found = verbs[first];
  if (found === undefined) return undefined;
  const noun = nouns[rest] ?? rest.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
  return verb(`${found} ${first === 'List' ? '' : 'the '}${noun}`);
}

type ActorWords = {
  /** The words before the name or the ID of the actor. */
  readonly kind: string;
  /** The words for an actor without an ID. */
  readonly alone: string;
};

/** The words for the types of actors. */
export const actorWords: Record<string, ActorWords> = {
  service: { kind: 'Client ', alone: 'A client' },
  customer: { kind: 'Customer ', alone: 'A customer' },
  workspace_key: { kind: 'API key ', alone: 'An API key' },
  staff: { kind: '', alone: 'A staff user' },
  // Invited people choose their names.
  member: { kind: 'Member ', alone: 'A member' },
  anonymous: { kind: '', alone: 'Someone who isn’t signed in' },
  system: { kind: '', alone: 'Latchkey' },
};

/** Whether the target is not the actor, so that the sentence names it. */
export const namesTarget = ({ actor, target }: Acted): boolean => target !== '' && target !== actor;

/**
 * The words between the action and the target. An invitation has the name of its recipient, and a
 * link without a name that of its document. A refused call for a secret, a key or a federated
 * identity names the client.
 */
export function targetWord(event: AuditEvent): string {
  const { action, target, targetName } = event;
  if (hasNameOfParent(event)) return /\blink$/.test(actionWords(event)) ? 'to ' : 'the link to ';
  if (target.startsWith('inv_') && targetName !== '') return 'for ';
  const isPart = /^ClientService\.(?!Rotate)\w+(?:Secret|Key|FederatedIdentity)$/.test(action);
  return isPart && target.startsWith('cli_') ? 'of ' : '';
}

type Parented = Acted & Pick<AuditEvent, 'targetName' | 'targetParents'>;

/** Whether the target is a link with the name of its document or folder. */
function hasNameOfParent({ target, targetName, targetParents: [parent] }: Parented): boolean {
  return target.startsWith('lnk_') && targetName !== '' && parent?.name === targetName;
}

/** The resource that the sentence names after the target. */
export function shownParent(event: Parented) {
  const [parent] = event.targetParents;
  if (parent === undefined || parent.id === event.actor || !namesTarget(event)) return undefined;
  return hasNameOfParent(event) ? undefined : parent;
}

export function parentWord(target: string, parent: string): string {
  if (!parent.startsWith('ws_')) return 'of';
  return target.startsWith('inv_') ? 'to' : 'in';
}

export const targetWorkspaceId = ({ targetParents }: Pick<AuditEvent, 'targetParents'>) =>
  targetParents.find(({ id }) => id.startsWith('ws_'))?.id;

/** A name inside quotes does not end them. */
export const withoutQuotes = (name: string): string => name.replace(/[“”]/g, '"');

/** Whether quotes separate a name from the other words. Names of people need none. */
export const isQuoted = ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
  name !== '' && !/^(?:usr|inv)_/.test(id);
