// The rules of the method guard, on a made-up method.
import { create } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { PrincipalType, SessionCookie } from '../gen/latchkey/options/v1/access_pb.js';
import type { Principal } from '../src/api/principal.ts';
import {
  callGuarded,
  callSlowly,
  codeFor,
  type Fields,
  guardMethod,
  nowSeconds,
  type Rule,
} from './support/guarded-method.ts';
import { itHoldsFor } from './support/rule.ts';

const { MEMBER, SERVICE, STAFF, UNSPECIFIED } = PrincipalType;

describe('a method that requires a recent sign-in', () => {
  const rule = { scope: 'clients:write', principals: [STAFF, SERVICE], recentSignIn: true };
  const staff = (age: number, scope = 'clients:write'): Principal => ({
    type: 'staff',
    userId: 'usr_1',
    sessionId: 'ses_1',
    authTime: nowSeconds - age,
    scopes: new Set([scope]),
  });

  it('accepts staff up to 300 seconds after it, and rejects them later', async () => {
    for (const age of [0, 299, 300]) expect(await codeFor(rule, staff(age)), `${age}`).toBe('ok');
    for (const age of [301, 86_400]) {
      await expect(callGuarded(rule, staff(age)), `${age}`).rejects.toMatchObject({
        code: 'step_up_required',
        extra: { challenge: 'Bearer error="insufficient_user_authentication", max_age=300' },
      });
    }
  });

  it('requires the scope first', async () => {
    expect(await codeFor(rule, staff(86_400, 'clients:read'))).toBe('forbidden');
  });

  it('requires only the scope of a service', async () => {
    const service = (scope: string): Principal => ({
      type: 'service',
      clientId: 'cli_1',
      scopes: new Set([scope]),
    });
    expect(await codeFor(rule, service('clients:write'))).toBe('ok');
    expect(await codeFor(rule, service('clients:read'))).toBe('forbidden');
  });
});

it('a method names the accepted caller types when it rejects a caller', async () => {
  const rule = { scope: 'clients:read', principals: [SERVICE, STAFF] };
  const customer: Principal = {
    type: 'customer',
    customerId: 'cus_1',
    keyId: 'key_1',
    accounts: [],
    scopes: new Set(['clients:read']),
  };
  await expect(callGuarded(rule, customer)).rejects.toMatchObject({
    code: 'forbidden',
    message: 'This method accepts service and staff tokens.',
  });
});

describe('a method that users may call for themselves', () => {
  const rule = { scope: 'users:write', principals: [STAFF, MEMBER, SERVICE], self: true };
  const user = (type: 'staff' | 'member', scope: string, age = 0): Principal => ({
    type,
    userId: 'usr_1',
    sessionId: 'ses_1',
    authTime: nowSeconds - age,
    scopes: new Set([scope]),
  });
  const service: Principal = { type: 'service', clientId: 'usr_1', scopes: new Set() };

  itHoldsFor(['staff', 'member'] as const)('accepts users only for themselves', async (type) => {
    expect(await codeFor(rule, user(type, ''), { userId: 'usr_1' })).toBe('ok');
    for (const userId of ['usr_2', '', 'usr_1 ']) {
      expect(await codeFor(rule, user(type, ''), { userId }), userId).toBe('forbidden');
    }
    expect(await codeFor(rule, user(type, 'users:write'), { userId: 'usr_2' })).toBe('ok');
  });

  it('does not apply to callers that are not users', async () => {
    expect(await codeFor(rule, service, { userId: 'usr_1' })).toBe('forbidden');
  });

  it('rejects all other callers if it has no scope', async () => {
    const only = { ...rule, scope: '' };
    expect(await codeFor(only, user('staff', 'users:write'), { userId: 'usr_1' })).toBe('ok');
    const scopes = ['', 'users:write'];
    for (const scope of scopes) {
      expect(await codeFor(only, user('staff', scope), { userId: 'usr_2' })).toBe('forbidden');
    }
    expect(await codeFor(only, service, { userId: 'usr_1' })).toBe('forbidden');
    await expect(callGuarded(only, service)).rejects.toMatchObject({
      extra: { challenge: 'Bearer error="insufficient_scope"' },
    });
  });

  it('requires a recent sign-in of users for themselves if the rule says so', async () => {
    const recent = { ...rule, recentSignIn: true };
    for (const type of ['staff', 'member'] as const) {
      for (const scope of ['', 'users:write']) {
        const own = { userId: 'usr_1' };
        expect(await codeFor(recent, user(type, scope, 300), own)).toBe('ok');
        expect(await codeFor(recent, user(type, scope, 301), own)).toBe('step_up_required');
        expect(await codeFor(rule, user(type, scope, 301), own)).toBe('ok');
      }
    }
    const other = { userId: 'usr_2' };
    expect(await codeFor(recent, user('staff', '', 301), other)).toBe('forbidden');
    expect(await codeFor(recent, user('staff', 'users:write', 301), other)).toBe(
      'step_up_required',
    );
  });
});

describe('a method that requires a recent sign-in', () => {
  const rule = { scope: 'links:write', principals: [STAFF, MEMBER, SERVICE], recentSignIn: true };
  const user = (type: 'staff' | 'member', age: number): Principal => ({
    type,
    userId: 'usr_1',
    sessionId: 'ses_1',
    authTime: nowSeconds - age,
    scopes: new Set(['links:write']),
  });

  itHoldsFor(['staff', 'member'] as const)('requires one of users', async (type) => {
    // A negative age is that of a sign-in while the clock was ahead.
    for (const age of [300, -300]) expect(await codeFor(rule, user(type, age), {})).toBe('ok');
    for (const age of [301, -86_400]) {
      expect(await codeFor(rule, user(type, age), {}), String(age)).toBe('step_up_required');
    }
  });
});

describe('a method with fields that require a recent sign-in', () => {
  const rule = {
    scope: 'clients:write',
    principals: [STAFF, SERVICE],
    recentSignInFields: ['scopes'],
  };
  const staff = (age: number): Principal => ({
    type: 'staff',
    userId: 'usr_1',
    sessionId: 'ses_1',
    authTime: nowSeconds - age,
    scopes: new Set(['clients:write']),
  });
  const mask = (...paths: string[]) => ({ updateMask: create(FieldMaskSchema, { paths }) });

  itHoldsFor<[string, Fields, string]>(
    [
      ['changes none of them', { userId: 'usr_2' }, 'ok'],
      ['gives one a value', { scopes: 'a:read' }, 'step_up_required'],
      ['names one in the mask', mask('scopes'), 'step_up_required'],
      ['names one among others', mask('user_id', 'scopes'), 'step_up_required'],
      ['names others in the mask', mask('user_id'), 'ok'],
      ['gives one a value that the mask leaves out', { scopes: 'a', ...mask('user_id') }, 'ok'],
    ],
    6,
  )('depends on the fields that a request changes', async (_, fields, code) => {
    expect(await codeFor(rule, staff(301), fields)).toBe(code);
    expect(await codeFor(rule, staff(300), fields)).toBe('ok');
    const service: Principal = {
      type: 'service',
      clientId: 'cli_1',
      scopes: new Set(['clients:write']),
    };
    expect(await codeFor(rule, service, fields)).toBe('ok');
  });
});

describe('a method within a workspace', () => {
  const rule = { scope: 'links:read', principals: [MEMBER], workspace: true };
  const member = (userId: string, scope = 'links:read'): Principal => ({
    type: 'member',
    userId,
    sessionId: 'ses_1',
    authTime: nowSeconds,
    scopes: new Set([scope]),
  });

  itHoldsFor<[string, string, string, string]>(
    [
      ['whose role has the scope', 'usr_one', 'ws_1', 'ok'],
      ['who has no other workspace and names none', 'usr_one', '', 'ok'],
      ['who names another', 'usr_one', 'ws_2', 'forbidden'],
      ['who has two and names none', 'usr_two', '', 'invalid_argument'],
      ['who has two and names one', 'usr_two', 'ws_1', 'ok'],
      ['whose role in that one lacks the scope', 'usr_two', 'ws_2', 'forbidden'],
      ['who has none', 'usr_none', '', 'forbidden'],
      ['who has none and names one', 'usr_none', 'ws_1', 'forbidden'],
    ],
    8,
  )('depends on the role of a member', async (_, userId, workspaceId, code) => {
    expect(await codeFor(rule, member(userId), { workspaceId })).toBe(code);
  });

  it('requires the scope of the token, too', async () => {
    const credential = member('usr_one', 'links:write');
    expect(await codeFor(rule, credential, { workspaceId: 'ws_1' })).toBe('forbidden');
  });
});

describe('the check of the caller', () => {
  const rule = { scope: 'clients:write', principals: [SERVICE] };
  const service = (scope = 'clients:write'): Principal => ({
    type: 'service',
    clientId: 'cli_1',
    scopes: new Set([scope]),
  });
  const slowMs = 300;

  it('runs once if the body arrives at once', async () => {
    expect(await callSlowly(rule, [service(), undefined], 0)).toEqual({ code: 'ok', checks: 1 });
  });

  itHoldsFor([
    ['accepts a caller who is still valid', service(), 'ok'],
    ['refuses a credential that was revoked', undefined, 'unauthenticated'],
    ['refuses a caller who lost the scope', service('clients:read'), 'forbidden'],
  ])('runs again after a slow body', async (_, later, code) => {
    expect(await callSlowly(rule, [service(), later], slowMs)).toEqual({ code, checks: 2 });
  });
});

describe('a method', () => {
  itHoldsFor([
    ['without an access option', undefined, 'no access option'],
    ['with an empty one', {}, 'no access option'],
    ['that is public and has a scope', { public: true, scope: 'a:read' }, 'public'],
    ['that is public to staff', { public: true, principals: [STAFF] }, 'public'],
    [
      'that is public and accepts a cookie',
      { public: true, sessionCookie: SessionCookie.ACCEPTED },
      'public',
    ],
    [
      'that accepts a cookie and no caller',
      { sessionCookie: SessionCookie.REQUIRED },
      'no access option',
    ],
    ['with no scope', { principals: [STAFF] }, 'not a scope'],
    ['with a scope of another form', { scope: 'a:delete', principals: [STAFF] }, 'not a scope'],
    ['without a caller type', { scope: 'a:read' }, 'no caller type'],
    ['with an unspecified caller type', { scope: 'a:read', principals: [UNSPECIFIED] }, 'unspec'],
    [
      'with fields that it does not have',
      { scope: 'a:read', principals: [STAFF], recentSignInFields: ['none'] },
      'none',
    ],
  ] satisfies [string, Rule | undefined, string][])(
    'a wrong rule stops the start, by its name',
    (_, rule, text) => {
      const start = () => guardMethod(rule, undefined);
      expect(start).toThrow('test.v1.TestService/Act: ');
      expect(start).toThrow(text);
    },
  );
});
