// Reads a method's access option, and makes callers for it.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import {
  type Access,
  access as accessOption,
  SessionCookie,
} from '../../gen/latchkey/options/v1/access_pb.js';
import { principalTypes, tokenPrincipalTypes } from '../../src/api/principal.ts';
import type { App } from '../../src/boot/app.ts';
import type { Suite } from './app-suite.ts';
import { addMember, subjectOf } from './member-rows.ts';
import { allMethods, type MethodCall } from './method-calls.ts';
import { addWorkspace } from './owner-rows.ts';
import { signToken } from './signed-tokens.ts';
import { addSession, addUser } from './user-rows.ts';

export function accessOf(method: DescMethod): Access {
  return getOption(method, accessOption);
}

export const callerTypes = [...tokenPrincipalTypes, 'workspace_key'] as const;
export type CallerType = (typeof callerTypes)[number];

export const publicMethods = allMethods.filter((method) => accessOf(method).public);
export const cookieMethods = allMethods.filter(
  (method) => accessOf(method).sessionCookie !== SessionCookie.UNSPECIFIED,
);
/** The methods that read the `Authorization` header. */
export const bearerMethods = allMethods.filter(
  (method) => !accessOf(method).public && accessOf(method).sessionCookie !== SessionCookie.REQUIRED,
);

/** Cases of a rule: the full name of a method, and the method. */
export function namedMethods(methods: readonly DescMethod[]): [string, DescMethod][] {
  return methods.map((method) => [`${method.parent.name}.${method.name}`, method]);
}

export function acceptedTypes(method: DescMethod): CallerType[] {
  return callerTypes.filter((type) => accessOf(method).principals.includes(principalTypes[type]));
}

/** The codes of a call that passed the guard. */
export const acceptedCodes = ['ok', 'not_found', 'invalid_argument', 'conflict'];

/** The `WWW-Authenticate` challenge for a call without a credential. */
export const noCredential = 'Bearer realm="latchkey"';
export const invalidToken = 'Bearer error="invalid_token"';

/** The outcome of a forbidden call. It names the required scope if there is one. */
export function forbidden(method: DescMethod) {
  const { scope } = accessOf(method);
  const needed = scope === '' ? '' : `, scope="${scope}"`;
  return { code: 'forbidden', challenge: `Bearer error="insufficient_scope"${needed}` };
}

type CallerOptions = {
  /** By default the scope of the method. */
  readonly scope?: string;
  /** The time of a user's sign-in, in seconds since 1970; by default now. */
  readonly authTime?: number;
};

/**
 * Makes a call by a caller of that type. A member owns a workspace. Users name themselves if the
 * method allows that; a call within a workspace names the caller's workspace, or the demo
 * workspace.
 */
export async function callBy(
  suite: Suite,
  type: CallerType,
  method: DescMethod,
  { scope = accessOf(method).scope, authTime }: CallerOptions = {},
): Promise<MethodCall> {
  const { self, workspace } = accessOf(method);
  if (type === 'workspace_key') {
    const { text } = await keyWith(suite.app, scope);
    return { method, authorization: `Bearer ${text}` };
  }
  const isEnding = endingMethods.has(method.name);
  const isUser = type === 'staff' || type === 'member';
  const shared = isEnding ? makeWorkspace : ownWorkspace;
  const own = type === 'member' || isEnding ? await shared(suite.app) : undefined;
  const sub =
    type === 'member'
      ? own?.owner
      : type === 'staff' && isEnding
        ? (await addUser(suite.app.inside.db, { kind: type, scopes: scope })).id
        : undefined;
  const token = await signToken(suite.app, {
    type,
    scope,
    ...(sub === undefined ? {} : { sub }),
    ...(authTime === undefined ? {} : { authTime }),
  });
  const authorization = `Bearer ${token}`;
  const fields = {
    ...(self && isUser ? { user_id: subjectOf({ authorization }).sub } : {}),
    ...(workspace ? { workspace_id: own?.workspaceId ?? suite.testApp.env.WORKSPACE_ID } : {}),
  };
  return { method, authorization, fields };
}

/** A value per app, created on first use. */
function oncePerApp<T>(make: (app: App, name: string) => Promise<T>) {
  const made = new WeakMap<App, Map<string, Promise<T>>>();
  return (app: App, name = ''): Promise<T> => {
    const ofApp = made.get(app) ?? new Map<string, Promise<T>>();
    made.set(app, ofApp);
    const value = ofApp.get(name) ?? make(app, name);
    ofApp.set(name, value);
    return value;
  };
}

const keyWith = oncePerApp((app, scope) => addWorkspace(app.inside.db, scope));

async function makeWorkspace({ inside }: App) {
  const { ownerId } = await addWorkspace(inside.db, '');
  return { workspaceId: ownerId, owner: await addMember(inside.db, ownerId, 'owner') };
}

const ownWorkspace = oncePerApp(makeWorkspace);

/** A call of them uses another user and another workspace than all other calls. */
const endingMethods: ReadonlySet<string> = new Set(['DeleteUser', 'DeleteWorkspace']);

/** One method of each kind. */
export function onePerKind(methods: readonly DescMethod[], kindOf: (method: DescMethod) => string) {
  const byKind = new Map(methods.toReversed().map((method) => [kindOf(method), method]));
  return namedMethods([...byKind.values()]);
}

/** One method for each policy on the session cookie. */
export const cookieKinds = onePerKind(
  cookieMethods,
  (method) => `${method.methodKind} ${accessOf(method).sessionCookie}`,
);

export const cookieOf = (value: string) => `latchkey_session=${value}`;

/** The cookie of a new session of a new user. */
export async function newCookie(
  { app: { inside } }: Suite,
  createTime = Date.now(),
): Promise<string> {
  const { id } = await addUser(inside.db);
  const { cookie } = await addSession(inside.db, id, { createTime });
  return cookie;
}
