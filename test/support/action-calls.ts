// Makes the call of a management action, and reads the rows that it could change.
import { type DescMethod, getOption, type Message, toJson } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { access as accessOption, SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import {
  DocumentSchema,
  UploadDocumentRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import type { Suite } from './app-suite.ts';
import { allRows, backgroundTables } from './audit-rows.ts';
import { openStreamTransports, type Piece } from './document-streams.ts';
import { type ManagementAction, managementActions } from './management-actions.ts';
import type { TransportName } from './matrix.ts';
import { cookieOf } from './method-access.ts';
import { callMethodWithText } from './method-calls.ts';
import { signToken } from './signed-tokens.ts';
import type { Credential, TransportAnswer, UnaryMethod } from './transports.ts';
import { addSession } from './user-rows.ts';

/** All rows that a change could affect, without values that the service writes later. */
export async function stateOf({ app }: Suite, without: readonly string[] = []): Promise<string[]> {
  const rows = await allRows(app.inside.db, [...backgroundTables, ...without]);
  return rows.map((row) => row.replace(/"(last_used_time|revision)":\w+,?/, ''));
}

export async function actionOf(suite: Suite, name: string): Promise<ManagementAction> {
  const prepare = managementActions[name];
  if (prepare === undefined) throw new Error(`no case for ${name}`);
  return prepare(suite);
}

let calls = 0;

export async function callerOf({ app }: Suite, method: DescMethod, action: ManagementAction) {
  const { callerType: type = 'service', callerId: sub } = action;
  const access = getOption(method, accessOption);
  const { scope = access.scope } = action;
  const token =
    action.token ?? (await signToken(app, { type, scope, ...(sub === undefined ? {} : { sub }) }));
  const needsCookie = access.sessionCookie === SessionCookie.REQUIRED && sub !== undefined;
  const credential = {
    ...{ authorization: `Bearer ${token}`, requestId: `audited-${++calls}` },
    ...(needsCookie ? { cookie: cookieOf((await addSession(app.inside.db, sub)).cookie) } : {}),
  };
  return { credential, actor: decodeJwt(token).sub };
}

type Called = {
  answer: Pick<TransportAnswer<Message>, 'ok'> & {
    readonly error?: { readonly code: string; readonly message: string };
  };
  resources: Record<string, Record<string, unknown>>;
};

export async function callAction(
  suite: Suite,
  name: TransportName,
  method: DescMethod,
  request: Record<string, unknown>,
  credential: Credential,
): Promise<Called> {
  if (method.methodKind === 'unary') {
    const answer = await suite.transport(name).call(method as UnaryMethod, request, credential);
    return { answer, resources: answer.ok ? jsonOf(method.output, answer.message) : {} };
  }
  if (method.input.typeName !== UploadDocumentRequestSchema.typeName) {
    const { code, text } = await callMethodWithText(suite.app, name, {
      method,
      rest: request,
      ...credential,
    });
    return { answer: { ok: code === 'ok', error: { code, message: text } }, resources: {} };
  }
  const transports = openStreamTransports(suite.app);
  const transport = transports.find((one) => one.name === name);
  if (transport === undefined) throw new Error(`unknown transport ${name}`);
  try {
    const answer = await transport.upload([request as Piece], credential);
    const resources: Called['resources'] = answer.ok
      ? { document: jsonOf(DocumentSchema, answer.message) }
      : {};
    return { answer, resources };
  } finally {
    for (const one of transports) one.close();
  }
}

function jsonOf(schema: DescMethod['output'], message: Message): Called['resources'] {
  return toJson(schema, message, { useProtoFieldName: true }) as Called['resources'];
}
