// Compares the files with the server: the steps that make the server as the files say.
import type { JsonValue } from '@bufbuild/protobuf';
import { CommandError } from '../base/command.ts';
import { methodOf } from '../remote/methods.ts';
import type { Remote } from '../remote/remote.ts';
import { requestMessage } from '../remote/request.ts';
import { canonical, comparable, type FieldSpec, type Kind, type KindName, kinds } from './kinds.ts';
import { type Problem, throwProblems } from './problems.ts';
import type { Declared } from './read-files.ts';
import { type Ids, referencesIn, wantedIdentities, wantedValue } from './references.ts';
import { listIdentities, type Stored, type StoredKinds, storedValue, verbOf } from './stored.ts';

export type Step = {
  readonly action: 'create' | 'update' | 'delete' | 'disable';
  readonly kind: Kind;
  readonly externalId: string;
  /** The fields that change. */
  readonly fields: readonly string[];
  readonly declared?: Declared;
  readonly stored?: Stored;
};

export type PlanOptions = {
  readonly remote: Remote;
  readonly declared: readonly Declared[];
  readonly stored: StoredKinds;
  /** Deleted resources that can be undeleted. They keep their external ids. */
  readonly deleted: StoredKinds;
  readonly ids: Ids;
  readonly isPruning: boolean;
};

/** Throws an error that names every problem of the files. */
export async function planOf(options: PlanOptions): Promise<Step[]> {
  const { declared, stored, ids } = options;
  const names = new Set(declared.map((one) => `${one.kind.name} ${one.externalId}`));
  const isDeclared = (kind: KindName, externalId: string) => names.has(`${kind} ${externalId}`);
  throwProblems([
    ...declared.flatMap((one) =>
      problemsOf(one, options, isDeclared).map((text) => ({ file: one.file, text })),
    ),
    ...cyclesOf(declared, stored),
  ]);
  const steps: Step[] = [];
  for (const kind of kinds) {
    for (const one of inOrder(declared.filter((other) => other.kind === kind))) {
      const found = stored[kind.name].get(one.externalId);
      const base = { kind, externalId: one.externalId, declared: one };
      if (found === undefined) {
        steps.push({ ...base, action: 'create', fields: Object.keys(one.values) });
        continue;
      }
      const fields = differing(one, found, ids);
      if (await haveIdentitiesChanged(options.remote, one, found, ids)) {
        fields.push('federated_identities');
      }
      if (fields.length > 0) steps.push({ ...base, action: 'update', fields, stored: found });
    }
  }
  return options.isPruning ? [...steps, ...removals(options)] : steps;
}

/** The value that the file gives to a field; undefined if the field is not managed. */
export const declaredValue = (spec: FieldSpec, value: JsonValue | undefined) =>
  value ?? spec.absent;

/** The fields of a stored resource that are not as the file says, without the identities. */
export function differing(declared: Declared, stored: Stored, ids: Ids): string[] {
  return Object.entries(declared.kind.fields)
    .filter(([name, spec]) => {
      if (spec.type === 'identities') return false;
      const value = declaredValue(spec, declared.values[name]);
      if (value === undefined) return false;
      const wanted = wantedValue(spec, value, ids);
      const current = storedValue(spec.field ?? name, stored);
      return canonical(spec, comparable(spec, current, wanted)) !== canonical(spec, wanted);
    })
    .map(([name]) => name);
}

const identitiesSpec = { type: 'identities' } as const;

/** Identities are managed only if the file names the field. */
async function haveIdentitiesChanged(
  remote: Remote,
  { values }: Declared,
  { id }: Stored,
  ids: Ids,
): Promise<boolean> {
  const value = values.federated_identities;
  if (value === undefined) return false;
  const stored = (await listIdentities(remote, id)).map(
    ({ issuer_id = '', subject = '', claims = {} }) => ({ issuer_id, subject, claims }),
  );
  const wanted = wantedIdentities(value, ids);
  return canonical(identitiesSpec, stored) !== canonical(identitiesSpec, wanted);
}

function problemsOf(
  declared: Declared,
  { stored, deleted, ids, isPruning }: PlanOptions,
  isDeclared: (kind: KindName, externalId: string) => boolean,
): string[] {
  const { kind, values, place, externalId } = declared;
  const gone = deleted[kind.name].get(externalId);
  if (gone !== undefined) {
    const command = `latchkey ${kind.name} undelete ${gone.id}`;
    const text = `the ${kind.noun} ${externalId} is deleted. Undelete it first. Run: ${command}`;
    return [`${place}.external_id: ${text}`];
  }
  const found = stored[kind.name].get(externalId);
  return Object.entries(values).flatMap(([name, value]) => {
    const spec = kind.fields[name];
    if (spec === undefined) return [];
    const at = `${place}.${name}`;
    const current = found && storedValue(spec.field ?? name, found);
    if (spec.isFixed && current !== undefined && current !== value) {
      return [`${at}: cannot be changed: on the server it is ${JSON.stringify(current)}`];
    }
    for (const { kind: other, externalId: named } of referencesIn(spec, value)) {
      if (isDeclared(other, named)) continue;
      const noun = kinds.find((one) => one.name === other)?.noun ?? other;
      if (deleted[other].has(named)) return [`${at}: the ${noun} ${named} is deleted`];
      if (!ids.has(other, named))
        return [`${at}: there is no ${noun} with the external id ${named}`];
      if (isPruning) return [`${at}: no file names the ${noun} ${named}, which --prune removes`];
    }
    return formProblems(kind, spec, name, value).map((problem) => `${at}: ${problem}`);
  });
}

/** The values that do not have the types of the API, such as an object with an unknown member. */
function formProblems(kind: Kind, spec: FieldSpec, name: string, value: JsonValue): string[] {
  if (spec.isSeparate || spec.isFixed || spec.refersTo !== undefined) return [];
  const method = methodOf({ method: `${kind.service}.${verbOf('update', kind)}` });
  try {
    requestMessage(method.input, { [name]: value });
    return [];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [error.message.replace(/^.*?(?=key "|expected )/s, '')];
  }
}

/** The declared clients that a client names, because it may act for them. */
const namedClients = ({ kind, values }: Declared): string[] =>
  referencesIn(kind.fields.may_act ?? { type: 'flag' }, values.may_act ?? [])
    .filter((one) => one.kind === 'clients')
    .map(({ externalId }) => externalId);

/** New clients that name each other cannot be created one after the other. */
function cyclesOf(declared: readonly Declared[], stored: StoredKinds): Problem[] {
  const fresh = declared.filter(
    ({ kind, externalId }) => kind.name === 'clients' && !stored.clients.has(externalId),
  );
  const problems: Problem[] = [];
  inOrder(fresh, (path, first) => {
    if (problems.length === cyclesMax) return;
    const cycle = [...path.slice(path.findIndex(({ one }) => one === first)), { one: first }];
    const names = cycle.map(({ one }) => one.externalId);
    if (names.length > namesMax) names.splice(namesMax / 2, names.length - namesMax, '…');
    const text = `${first.place}.may_act: new clients name each other: ${names.join(' → ')}`;
    problems.push({ file: first.file, text });
  });
  return problems;
}

/** The cycles that are reported, and the names of each. A file can have many and long ones. */
const cyclesMax = 20;
const namesMax = 10;

type Path = readonly { readonly one: Declared }[];

/**
 * Clients after those that they name, without recursion: a chain of names can be long. `onCycle`
 * receives the clients on the way to one that names `first`, which is one of them.
 */
function inOrder(
  declared: readonly Declared[],
  onCycle: (path: Path, first: Declared) => void = () => {},
): Declared[] {
  const byId = new Map(declared.map((one) => [one.externalId, one]));
  const ordered = new Set<Declared>();
  const entered = new Set<Declared>();
  for (const start of declared) {
    const path: { readonly one: Declared; readonly named: string[] }[] = [];
    const enter = (one: Declared) => {
      entered.add(one);
      path.push({ one, named: namedClients(one).toReversed() });
    };
    if (!entered.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const name = last.named.pop();
      const next = byId.get(name ?? '');
      if (name === undefined) {
        ordered.add(last.one);
        path.pop();
      } else if (next !== undefined && !entered.has(next)) {
        enter(next);
      } else if (next !== undefined && !ordered.has(next)) {
        onCycle(path, next);
      }
    }
  }
  return [...ordered];
}

/** In the opposite order, because an audience with a client cannot be deleted. */
function removals({ declared, stored }: PlanOptions): Step[] {
  return kinds.toReversed().flatMap((kind) => {
    const { removal } = kind;
    if (removal === undefined) return [];
    const named = new Set(declared.filter((one) => one.kind === kind).map((one) => one.externalId));
    return [...stored[kind.name]]
      .filter(([externalId]) => !named.has(externalId))
      .filter(([, row]) => removal === 'delete' || storedValue('disabled', row) === false)
      .map(([externalId, row]) => ({
        ...{ action: removal, kind, externalId, fields: [], stored: row },
      }));
  });
}
