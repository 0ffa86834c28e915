/** The actions of audit events in words, such as `Jane` `created the client` `Reports`. */
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';

/** The words for a done and for a refused action. */
type Verb = { readonly did: string; readonly tried: string };

const verb = (did: string, tried: string): Verb => ({ did, tried });

/** The first words of method names. */
const verbs: Record<string, Verb> = {
  Activate: verb('activated', 'activate'),
  Create: verb('created', 'create'),
  Delete: verb('deleted', 'delete'),
  Disable: verb('disabled', 'disable'),
  Download: verb('downloaded', 'download'),
  Enable: verb('enabled', 'enable'),
  Export: verb('exported', 'export'),
  Get: verb('read', 'read'),
  List: verb('listed', 'list'),
  Put: verb('set', 'set'),
  Read: verb('opened', 'open'),
  Remove: verb('removed', 'remove'),
  Replace: verb('replaced', 'replace'),
  Revoke: verb('revoked', 'revoke'),
  Rotate: verb('rotated', 'rotate'),
  Update: verb('changed', 'change'),
  Upload: verb('uploaded', 'upload'),
};

/** Actions that need other words than those of their names. */
const actions: Record<string, Verb> = {
  'ClientService.CreateClientSecret': verb('created a secret of', 'create a secret of'),
  'ClientService.ListClientSecrets': verb('listed the secrets of', 'list the secrets of'),
  'ClientService.RotateClientSecret': verb('rotated a secret of', 'rotate a secret of'),
  'CustomerService.PutAccounts': verb('changed the accounts of', 'change the accounts of'),
  'InvitationService.AcceptInvitation': verb('accepted the invitation', 'accept the invitation'),
  'InvitationService.JoinWorkspace': verb(
    'joined a workspace with the invitation',
    'join a workspace with the invitation',
  ),
  'IssuanceService.ExchangeApiKey': verb('got a token with the API key', 'get a token for'),
  'IssuanceService.IssueToken': verb('got a token for', 'get a token for'),
  'LinkService.ListLinkViews': verb('listed the views of', 'list the views of'),
  'MasterKey.Rotate': verb('encrypted all secrets with a new master key', 'change the master key'),
  'PasswordResetService.RequestPasswordReset': verb(
    'requested a link to reset the password of',
    'request a link to reset a password',
  ),
  'PasswordResetService.ResetPassword': verb('reset the password of', 'reset the password of'),
  'SessionService.ListUserSessions': verb('listed the sessions of', 'list the sessions of'),
  'SessionService.RefreshSession': verb('continued a session', 'continue a session'),
  'SessionService.RevokeSession': verb('signed out the session', 'sign out the session'),
  'SessionService.RevokeUserSession': verb('signed out the session', 'sign out the session'),
  'SessionService.RevokeUserSessions': verb(
    'signed out all sessions of',
    'sign out all sessions of',
  ),
  'SessionService.SignIn': verb('signed in', 'sign in'),
  'SessionService.SignOut': verb('signed out', 'sign out'),
  'SessionService.UseRecoveryCode': verb(
    'accepted a recovery code of',
    'accept a recovery code of',
  ),
  'Staff.Recover': verb('restored the access of', 'restore the access of'),
  'UserService.ConfirmTotp': verb('turned on two-factor authentication', 'turn on two-factor'),
  'UserService.EnrolTotp': verb('started to add an authenticator app', 'add an authenticator app'),
  'UserService.RemoveTotp': verb('removed an authenticator app', 'remove an authenticator app'),
  'UserService.SetPassword': verb('set the password of', 'set the password of'),
  'VerificationService.RevokeToken': verb('revoked a token of', 'revoke a token of'),
  'VerificationService.VerifyToken': verb('verified a token', 'verify a token'),
  'WorkspaceService.CreateInvitation': verb('sent the invitation', 'send an invitation'),
  'WorkspaceService.PutMember': verb('set the role of the member', 'set the role of the member'),
};

/** Nouns that differ from the words of the method name. */
const nouns: Record<string, string> = {
  ApiKey: 'API key',
  ApiKeys: 'API keys',
  Jwks: 'published keys',
};

type Described = Pick<AuditEvent, 'action' | 'code'>;

export function describeAction({ action, code }: Described): string {
  const words = actions[action] ?? wordsOf(action);
  if (words === undefined) return code === 'ok' ? `did ${action}` : `tried ${action}`;
  return code === 'ok' ? words.did : `tried to ${words.tried}`;
}

/** The words before the target. A refused call may have no target. */
export function actionWords(event: Described & Pick<AuditEvent, 'actor' | 'target'>): string {
  const words = describeAction(event);
  if (!namesTarget(event)) return words.replace(/ (?:of|for)$/, '');
  return event.action === 'SessionService.SignIn' ? `${words} as` : words;
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

const anonymous = 'Someone who is not signed in';

/** An actor without a name. */
export const actorWords: Record<string, string> = { anonymous, system: 'Latchkey' };

/** Whether the target is not the actor, so that the sentence names it. */
export const namesTarget = ({ actor, target }: Pick<AuditEvent, 'actor' | 'target'>): boolean =>
  target !== '' && target !== actor;
