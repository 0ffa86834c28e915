/** The actions of audit events in words, such as `Jane` `created the client` `Reports`. */
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';

/** The words for a done and for a refused action. */
type Verb = { readonly did: string; readonly tried: string };

const verb = (did: string, tried: string): Verb => ({ did, tried });

/** The first words of method names. */
const verbs: Record<string, Verb> = {
  Activate: verb('activated', 'activate'),
  Approve: verb('approved', 'approve'),
  Create: verb('created', 'create'),
  Delete: verb('deleted', 'delete'),
  Disable: verb('disabled', 'disable'),
  Download: verb('downloaded', 'download'),
  Enable: verb('enabled', 'enable'),
  Export: verb('exported', 'export'),
  Get: verb('read', 'read'),
  List: verb('listed', 'list'),
  Leave: verb('left', 'leave'),
  Purge: verb('deleted for good', 'delete for good'),
  Put: verb('set', 'set'),
  Read: verb('opened', 'open'),
  Remove: verb('removed', 'remove'),
  Replace: verb('replaced', 'replace'),
  Restore: verb('restored', 'restore'),
  Revoke: verb('revoked', 'revoke'),
  Rotate: verb('rotated', 'rotate'),
  Undelete: verb('restored', 'restore'),
  Update: verb('changed', 'change'),
  Upload: verb('uploaded', 'upload'),
  Verify: verb('verified', 'verify'),
};

/** Actions that need other words than those of their names. */
const actions: Record<string, Verb> = {
  'ClientService.ListClientSecrets': verb('listed the secrets of', 'list the secrets of'),
  'ClientService.RotateClientSecret': verb('rotated a secret of', 'rotate a secret of'),
  'CustomerService.PutAccounts': verb('changed the accounts of', 'change the accounts of'),
  'IdentityProviderService.ApplyMappings': verb(
    'applied the groups of the provider to',
    'apply the groups of the provider to',
  ),
  'IdentityProviderService.DeleteUserIdentity': verb('unlinked the account', 'unlink the account'),
  'IdentityProviderService.LinkUser': verb(
    'linked an account of a provider to',
    'link an account of a provider to',
  ),
  'IdentityProviderService.ListUserIdentities': verb(
    'listed the linked accounts of',
    'list the linked accounts of',
  ),
  'InsightService.MarkNoticesRead': verb('marked notices as read in', 'mark notices as read in'),
  'InstallationService.ConfirmMasterKeyCopy': verb(
    'confirmed a copy of the master key',
    'confirm a copy of the master key',
  ),
  'InvitationService.AcceptInvitation': verb('accepted the invitation', 'accept the invitation'),
  'InvitationService.JoinWorkspace': verb(
    'joined a workspace with the invitation',
    'join a workspace with the invitation',
  ),
  'DocumentService.DeleteVersion': verb('deleted a version of', 'delete a version of'),
  'DocumentService.ListVersions': verb('listed the versions of', 'list the versions of'),
  'DocumentService.RestoreVersion': verb('restored a version of', 'restore a version of'),
  'DocumentService.UploadVersion': verb('uploaded a version of', 'upload a version of'),
  'IssuanceService.ExchangeApiKey': verb('got a token with the API key', 'get a token for'),
  'IssuanceService.IssueToken': verb('got a token for', 'get a token for'),
  'LinkService.BatchCreateLinks': verb('created the link', 'create links for recipients'),
  'LinkService.BatchRevokeLinks': verb('revoked the link', 'revoke links'),
  'LinkService.BatchUpdateLinks': verb('changed the link', 'change links'),
  'LinkService.ListLinkViews': verb('listed the views of', 'list the views of'),
  'MasterKey.Rotate': verb('encrypted all secrets with a new master key', 'change the master key'),
  'OAuthService.Introspect': verb('verified a token', 'verify a token'),
  'OAuthService.Revoke': verb('revoked a token of', 'revoke a token of'),
  'PasswordResetService.RequestPasswordReset': verb(
    'requested a link to reset the password of',
    'request a link to reset a password',
  ),
  'PasswordResetService.ResetPassword': verb('reset the password of', 'reset the password of'),
  'PasskeyService.ListPasskeys': verb('listed the passkeys of', 'list the passkeys of'),
  'PasskeyService.StartPasskeyRegistration': verb('started to add a passkey', 'add a passkey'),
  'SearchService.Search': verb('searched for resources', 'search for resources'),
  'SessionService.ApproveDeviceSignIn': verb(
    'approved a command-line sign-in',
    'approve a command-line sign-in',
  ),
  'SessionService.DenyDeviceSignIn': verb(
    'denied a command-line sign-in',
    'deny a command-line sign-in',
  ),
  'SessionService.FindDeviceSignIn': verb(
    'looked up a command-line sign-in',
    'look up a command-line sign-in',
  ),
  'SessionService.GetSignInOptions': verb('read how to sign in', 'read how to sign in'),
  'SessionService.ListUserSessions': verb('listed the sessions of', 'list the sessions of'),
  'SessionService.LogOutByProvider': verb(
    'ended the sessions at the request of the provider of',
    'end the sessions at the request of the provider of',
  ),
  'SessionService.RefreshSession': verb('continued a session', 'continue a session'),
  'SessionService.RevokeSession': verb('signed out the session', 'sign out the session'),
  'SessionService.RevokeUserSession': verb('signed out the session', 'sign out the session'),
  'SessionService.RevokeUserSessions': verb(
    'signed out all sessions of',
    'sign out all sessions of',
  ),
  'SessionService.SignIn': verb('signed in', 'sign in'),
  'SessionService.SignInWithDeviceCode': verb(
    'signed in on the command line through a browser',
    'sign in on the command line through a browser',
  ),
  'SessionService.SignInWithPasskey': verb(
    'signed in with the passkey',
    'sign in with the passkey',
  ),
  'SessionService.SignInWithProvider': verb(
    'signed in with a company account',
    'sign in with a company account',
  ),
  'SessionService.StartDeviceSignIn': verb(
    'started to sign in on the command line',
    'sign in on the command line',
  ),
  'SessionService.StartPasskeySignIn': verb(
    'started to sign in with a passkey',
    'sign in with a passkey',
  ),
  'SessionService.SignOut': verb('signed out', 'sign out'),
  'SessionService.UseRecoveryCode': verb(
    'accepted a recovery code of',
    'accept a recovery code of',
  ),
  'Staff.Recover': verb('restored the access of', 'restore the access of'),
  'UserAccessService.GetUserAccess': verb('read the access of', 'read the access of'),
  'UserAccessService.RevokeAllAccess': verb('ended the access of', 'end the access of'),
  'UserService.ConfirmTotp': verb('turned on two-factor authentication', 'turn on two-factor'),
  'UserService.CreateRecoveryCodes': verb('created recovery codes', 'create recovery codes'),
  'UserService.EnrolTotp': verb('started to add an authenticator app', 'add an authenticator app'),
  'UserService.RemoveTotp': verb(
    'removed an authenticator app of',
    'remove an authenticator app of',
  ),
  'UserService.SetPassword': verb('set the password of', 'set the password of'),
  'UserService.WithdrawPasswordLink': verb(
    'withdrew the password link to',
    'withdraw the password link to',
  ),
  'UserService.MailPasswordLink': verb('mailed a password link to', 'mail a password link to'),
  'VisitorService.DeleteVisitor': verb('erased the reader', 'erase the reader'),
  'VerificationService.RevokeToken': verb('revoked a token of', 'revoke a token of'),
  'VerificationService.VerifyToken': verb('verified a token', 'verify a token'),
  'WorkspaceService.CreateInvitation': verb('sent the invitation', 'send an invitation'),
  'WorkspaceService.DeleteWorkspaceLogo': verb('deleted the logo of', 'delete the logo of'),
  'WorkspaceService.PutMember': verb('set the role of the member', 'set the role of the member'),
  'WorkspaceService.PutWorkspaceLogo': verb('set the logo of', 'set the logo of'),
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
  const words = actions[action] ?? wordsOf(action);
  if (words === undefined) return code === 'ok' ? `did ${action}` : `tried ${action}`;
  return code === 'ok' ? words.did : `tried to ${words.tried}`;
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
  const words = first === 'List' ? noun : `the ${noun}`;
  return verb(`${found.did} ${words}`, `${found.tried} ${words}`);
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
