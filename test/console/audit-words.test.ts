// The words for the actions of the audit log.
import { expect, it } from 'vitest';
import { auditActions } from '../../web/console/audit/audit-labels.ts';
import {
  actionLabel,
  actionWords,
  describeAction,
  namesTarget,
} from '../../web/console/audit/audit-words.ts';
import { itHoldsFor } from '../support/rule.ts';
import { listFiles, readText } from '../tidy/files.ts';

const done = (action: string) => describeAction({ action, code: 'ok' });

it('every action that the source names can be picked in the filter', () => {
  const pattern = /'((?:[A-Z]\w+Service|MasterKey|Staff)\.[A-Z]\w+)'/g;
  const named = listFiles('src', '.ts').flatMap((file) =>
    [...readText(file).matchAll(pattern)].map(([, action = '']) => action),
  );
  expect(named.filter((action) => !auditActions.includes(action))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThan(20);
});

it('every action of the API has words, done or refused', () => {
  expect(auditActions.length).toBeGreaterThan(50);
  for (const action of auditActions) {
    expect([action, done(action)]).toEqual([action, expect.stringMatching(/^[a-z][\w -]+$/i)]);
    expect([action, done(action)]).not.toEqual([action, expect.stringMatching(/^did /)]);
    const tried = describeAction({ action, code: 'forbidden' });
    expect([action, tried]).toEqual([action, expect.stringMatching(/^tried to [a-z]/)]);
  }
});

itHoldsFor([
  ['SessionService.SignIn', 'signed in'],
  ['ClientService.CreateClient', 'created the client'],
  ['ClientService.RotateClientSecret', 'rotated a secret of'],
  ['ApiKeyService.RevokeApiKey', 'revoked the API key'],
  ['SigningKeyService.ActivateSigningKey', 'activated the signing key'],
  ['DocumentService.ListDocuments', 'listed documents'],
  ['DocumentService.RestoreVersion', 'restored a version of'],
  ['InvitationService.AcceptInvitation', 'accepted the invitation'],
  ['PasswordResetService.ResetPassword', 'reset the password of'],
  ['SessionService.UseRecoveryCode', 'accepted a recovery code of'],
  ['SessionService.RevokeUserSessions', 'signed out all sessions of'],
])('an action has words', (action, words) => {
  expect(done(action)).toBe(words);
});

it('every action has words for the filter, without a target', () => {
  expect(actionLabel('ClientService.RotateClientSecret')).toBe('Rotated a secret');
  for (const action of auditActions) {
    expect(actionLabel(action)).toMatch(/^[A-Z].* (?!of$|for$|to$|as$|with$)\S+$/);
  }
});

it('an unknown action is named, and a sign-in names no target', () => {
  expect(done('Future.Thing')).toBe('did Future.Thing');
  expect(describeAction({ action: 'Future.Thing', code: 'forbidden' })).toBe('tried Future.Thing');
  expect(namesTarget({ actor: 'usr_1', target: 'usr_1' })).toBe(false);
  expect(namesTarget({ actor: 'usr_1', target: 'usr_2' })).toBe(true);
});

it('a refused call without a target has a sentence with an end', () => {
  const refused = { code: 'step_up_required', actor: 'usr_1' };
  const action = 'ClientService.RotateClientSecret';
  expect(actionWords({ ...refused, action, target: '' })).toBe('tried to rotate a secret');
  expect(actionWords({ ...refused, action, target: 'cli_1' })).toBe('tried to rotate a secret of');
});

itHoldsFor([
  ['ClientService.CreateClient', 'tried to create a client'],
  ['AudienceService.CreateAudience', 'tried to create an audience'],
  ['UserService.CreateUser', 'tried to create a user'],
  ['ApiKeyService.CreateApiKey', 'tried to create an API key'],
  ['DocumentService.UploadDocument', 'tried to upload a document'],
  ['WorkspaceService.PutMember', 'tried to set the role of the member'],
  ['UserService.MailPasswordLink', 'tried to mail a password link'],
  ['UserService.CreateRecoveryCodes', 'tried to create recovery codes'],
])('a refused call without a target has words', (action, words) => {
  expect(actionWords({ action, code: 'forbidden', actor: 'usr_1', target: '' })).toBe(words);
});

it('a token that was revoked by its id is the target itself', () => {
  const revoked = { action: 'VerificationService.RevokeToken', actor: 'usr_1', code: 'ok' };
  const target = '0d3f4c1e-6a57-4b0c-9a3e-5f0c2d1b7a90';
  expect(actionWords({ ...revoked, target })).toBe('revoked the token');
  expect(actionWords({ ...revoked, target: 'cli_1' })).toBe('revoked a token of');
});

it('a refused sign-in names the user of the email address', () => {
  const refused = { action: 'SessionService.SignIn', code: 'identity.credential_invalid' };
  expect(actionWords({ ...refused, actor: '', target: 'usr_1' })).toBe('tried to sign in as');
});
