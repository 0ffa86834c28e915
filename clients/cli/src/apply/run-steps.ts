// Makes the changes of a plan, one after the other. A step that fails does not stop the others,
// unless they would fail for the same reason.
import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { CommandError } from '../base/command.ts';
import { exitStatuses } from '../base/exit-status.ts';
import { ServerError } from '../remote/errors.ts';
import { keyHeader } from '../remote/idempotency.ts';
import { methodOf } from '../remote/methods.ts';
import type { Remote } from '../remote/remote.ts';
import { camelCase } from '../remote/request.ts';
import type { FieldSpec } from './kinds.ts';
import { declaredValue, differing, type Step } from './plan.ts';
import type { Declared } from './read-files.ts';
import { type Ids, requireCreated, wantedIdentities, wantedValue } from './references.ts';
import { LostSecretError } from './secrets.ts';
import { callKind, listIdentities, memberOf, type Stored, storedOf, verbOf } from './stored.ts';

export type RunOptions = {
  readonly remote: Remote;
  readonly ids: Ids;
  /** Stores the secret of a new client. */
  readonly keepSecret: (externalId: string, clientId: string, secret: string) => Promise<void>;
};

export type Outcome = { readonly step: Step; readonly error?: string };

export type StepsRun = {
  /** Of the steps that were tried. */
  readonly outcomes: readonly Outcome[];
  /** Whether the user stopped the command. */
  readonly isInterrupted: boolean;
};

/** After these errors, later steps would fail, too. `forbidden` may concern one kind only. */
const signInCodes = [
  ...['unauthenticated', 'step_up_required', 'identity.credential_invalid', 'rate_limited'],
  ...['identity.code_invalid', 'identity.device_code_invalid', 'identity.device_sign_in_denied'],
];

export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<StepsRun> {
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    try {
      await runStep(step, options);
      outcomes.push({ step });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      outcomes.push({ step, error: error.message });
      const isInterrupted = error.status === exitStatuses.interrupted.status;
      const code = error instanceof ServerError ? error.data.code : '';
      const stops = error instanceof LostSecretError || signInCodes.includes(code);
      if (isInterrupted || stops) return { outcomes, isInterrupted };
    }
  }
  return { outcomes, isInterrupted: false };
}

async function runStep(step: Step, options: RunOptions): Promise<void> {
  const { kind, declared, stored, action } = step;
  if (declared === undefined) {
    const id = stored?.id ?? '';
    await callKind(options.remote, kind, verbOf(action, kind), { [kind.idField]: id });
    return;
  }
  const current = stored ?? (await create(declared, options));
  if (declared.imported !== undefined) {
    await addKeys(declared.imported.keys, current.id, options);
    return;
  }
  const updated = await update(declared, current, options);
  await changeSeparately(declared, updated, options);
  if (declared.values.federated_identities !== undefined) {
    await changeIdentities(declared.values.federated_identities, current.id, options);
  }
}

async function create(declared: Declared, { remote, ids, keepSecret }: RunOptions) {
  const { kind, externalId } = declared;
  const verb = verbOf('create', kind);
  const known = methodOf({ method: `${kind.service}.${verb}` }).input.fields;
  const request: JsonObject = { external_id: externalId, ...declared.imported?.fields };
  for (const [name, spec, wanted] of wantedFields(declared, ids)) {
    const field = spec.field ?? name;
    if (wanted !== null && known.some((one) => one.name === field)) request[field] = wanted;
  }
  const answer = await callKind(remote, kind, verb, request, keyHeader(randomUUID()));
  const created = storedOf(answer[memberOf(kind)] as JsonObject);
  ids.set(kind.name, externalId, created.id);
  if (typeof answer.client_secret === 'string' && answer.client_secret !== '') {
    await keepSecret(externalId, created.id, answer.client_secret);
  }
  return created;
}

/** The fields that one method changes, with their values in the API. */
function wantedFields(declared: Declared, ids: Ids): [string, FieldSpec, JsonValue][] {
  return Object.entries(declared.kind.fields).flatMap(([name, spec]) => {
    const value = declaredValue(spec, declared.values[name]);
    if (spec.isSeparate || value === undefined) return [];
    requireCreated(spec, value, ids);
    return [[name, spec, wantedValue(spec, value, ids)] as [string, FieldSpec, JsonValue]];
  });
}

/** Fails if the resource was changed since the plan was made. */
async function update(
  declared: Declared,
  stored: Stored,
  { remote, ids }: RunOptions,
): Promise<Stored> {
  const { kind } = declared;
  const changed = differing(declared, stored, ids);
  const fields = wantedFields(declared, ids).filter(([name]) => changed.includes(name));
  if (fields.length === 0) return stored;
  const request: JsonObject = { [kind.idField]: stored.id, etag: stored.etag };
  for (const [name, spec, wanted] of fields) {
    const field = spec.field ?? name;
    const isPart = spec.type === 'object' && spec.absent === undefined;
    const whole = isPart
      ? { ...(stored.json[field] as JsonObject), ...(wanted as JsonObject) }
      : wanted;
    if (whole !== null) request[field] = whole;
  }
  request.update_mask = fields.map(([name, spec]) => camelCase(spec.field ?? name)).join(',');
  const answer = await callKind(remote, kind, verbOf('update', kind), request);
  const updated = storedOf(answer[memberOf(kind)] as JsonObject);
  const names = new Set(fields.map(([name]) => name));
  const other = differing(declared, updated, ids).filter((name) => names.has(name));
  if (other.length === 0) return updated;
  throw new CommandError(
    `The server stored another value of ${other.join(', ')} than the file has`,
  );
}

async function changeSeparately(
  declared: Declared,
  stored: Stored,
  { remote, ids }: RunOptions,
): Promise<void> {
  const { kind, values } = declared;
  const changed = differing(declared, stored, ids);
  const request = { [kind.idField]: stored.id };
  if (changed.includes('accounts')) {
    const accounts = { account_ids: values.accounts ?? [], etag: stored.etag };
    await callKind(remote, kind, 'putAccounts', { ...request, ...accounts });
  }
  if (changed.includes('disabled')) {
    const verb = values.disabled === true ? 'disable' : 'enable';
    await callKind(remote, kind, verbOf(verb, kind), request);
  }
}

async function changeIdentities(
  value: JsonValue,
  clientId: string,
  { remote, ids }: RunOptions,
): Promise<void> {
  const service = { service: 'client' };
  const wanted = wantedIdentities(value, ids);
  requireCreated({ type: 'identities' }, value, ids);
  const textOf = ({ issuer_id, subject, claims = {} }: JsonObject) =>
    JSON.stringify([issuer_id, subject, Object.entries(claims as JsonObject).sort()]);
  const missing = new Map(wanted.map((one) => [textOf(one), one]));
  const found = await listIdentities(remote, clientId);
  const others = found.filter((one) => !missing.delete(textOf(one)));
  const create = async () => {
    for (const one of missing.values()) {
      await callKind(remote, service, 'createFederatedIdentity', { client_id: clientId, ...one });
    }
  };
  const end = async () => {
    for (const { id = '' } of others) {
      const request = { client_id: clientId, identity_id: id };
      await callKind(remote, service, 'deleteFederatedIdentity', request);
    }
  };
  // A refused identity must not leave the client without its old ones, unless both do not fit.
  const hasRoom = found.length + missing.size <= identitiesMax;
  for (const change of hasRoom ? [create, end] : [end, create]) await change();
}

/** The limit of the service for a client. */
const identitiesMax = 20;

async function addKeys(
  keys: readonly JsonObject[],
  clientId: string,
  { remote }: RunOptions,
): Promise<void> {
  for (const jwk of keys) {
    await callKind(remote, { service: 'client' }, 'createClientKey', { client_id: clientId, jwk });
  }
}
