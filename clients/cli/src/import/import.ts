// `import`: creates the clients of another authorization server with their ids and secrets.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { carryOut, requireSecretsFolder, withOneFailureStatus } from '../apply/apply.ts';
import { type Kind, type KindName, kinds } from '../apply/kinds.ts';
import { planOf, type Step } from '../apply/plan.ts';
import { throwProblems } from '../apply/problems.ts';
import { Ids } from '../apply/references.ts';
import { isDeleted, listAll, listKind, type StoredKinds } from '../apply/stored.ts';
import { type CommandHost, type Input, UsageError } from '../base/command.ts';
import { wantsJson } from '../base/print.ts';
import { cleanText } from '../base/text.ts';
import { openRemote, type Remote } from '../remote/remote.ts';
import { type Described, describe } from './describe.ts';
import type { ForeignClient } from './foreign-client.ts';
import { readClients } from './read-export.ts';
import { readScopeMap, type ScopeMap } from './scopes.ts';

/** `read` throws WrongExport. */
export const runImport =
  (read: (json: JsonValue) => ForeignClient[]) => (input: Input, host: CommandHost) =>
    withOneFailureStatus(() => importClients(read, input, host));

async function importClients(
  read: (json: JsonValue) => ForeignClient[],
  input: Input,
  host: CommandHost,
): Promise<number> {
  requireSecretsFolder(input);
  const scopeMap = readScopeMap(input.options['map-scope']);
  const file = input.args.file ?? '';
  const clients = await readClients(read, file, host);
  const shownFile = cleanText(file === '-' ? 'The standard input' : file);
  requireUsed(scopeMap, clients);
  throwProblems(duplicatesIn(clients).map((text) => ({ file: shownFile, text })));
  const remote = await openRemote(host);
  const kind = kindOf('clients');
  const stored = await listKind(remote, kind);
  const audienceIds = await findAudiences(remote, clients);
  const isNewSecret = input.options['new-secrets'] === true;
  const context = { file: shownFile, kind, stored, scopeMap, audienceIds, isNewSecret };
  const described = clients.map((client) => describe(client, context));
  const ids = new Ids(noResources);
  const created = await planOf({
    ...{ remote, stored: noResources, deleted: noResources, ids, isPruning: false },
    declared: described.flatMap(({ declared }) => declared ?? []),
  });
  const steps = [...created, ...(await missingKeys(described, { remote, kind, file: shownFile }))];
  if (!wantsJson(input)) writeNotes(described, host);
  return carryOut(steps, { input, host, remote, ids, data: { clients: described.map(dataOf) } });
}

function requireUsed(scopeMap: ScopeMap, clients: readonly ForeignClient[]): void {
  const known = new Set(clients.flatMap(({ scopes }) => scopes));
  const other = [...scopeMap.keys()].find((scope) => !known.has(scope));
  if (other === undefined) return;
  throw new UsageError(`--map-scope ${other}: no client in the file has this scope.`);
}

function kindOf(name: KindName): Kind {
  const found = kinds.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no kind ${name}`);
  return found;
}

/** Imported clients name nothing by external ids. */
const none: ReadonlyMap<string, never> = new Map<string, never>();
const noResources: StoredKinds = {
  ...{ audiences: none, trusted_issuers: none, customers: none, clients: none, workspaces: none },
};

function duplicatesIn(clients: readonly ForeignClient[]): string[] {
  const first = new Map<string, string>();
  return clients.flatMap(({ clientId, place }) => {
    const other = first.get(clientId);
    if (other === undefined) first.set(clientId, place);
    return other === undefined ? [] : [`${place}: has the same id as ${other}: ${clientId}`];
  });
}

/** The ids of the audiences, by their identifiers. */
async function findAudiences(
  remote: Remote,
  clients: readonly ForeignClient[],
): Promise<ReadonlyMap<string, string>> {
  // The caller may lack access to audiences that no client names.
  if (clients.every(({ audiences }) => audiences.length === 0)) return new Map();
  const rows = await listKind(remote, kindOf('audiences'));
  return new Map(rows.map(({ id, json }) => [String(json.identifier), id]));
}

type KeysContext = { readonly remote: Remote; readonly kind: Kind; readonly file: string };

/** An earlier run may have failed between the client and its keys. */
async function missingKeys(
  described: readonly Described[],
  { remote, kind, file }: KeysContext,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { client, existing } of described) {
    if (existing === undefined || isDeleted(existing) || client.keys.length === 0) continue;
    const request = { client_id: existing.id };
    const rows = await listAll(remote, kind, 'listClientKeys', request, 'keys');
    const known = new Set(rows.map(({ jwk }) => materialOf(jwk as JsonObject)));
    const keys = client.keys.filter((jwk) => !known.has(materialOf(jwk)));
    if (keys.length === 0) continue;
    const base = { kind, externalId: client.clientId };
    const place = `${file}: ${client.place}`;
    const declared = { ...base, values: {}, file, place, imported: { fields: {}, keys } };
    steps.push({ ...base, action: 'update', fields: ['keys'], declared, stored: existing });
  }
  return steps;
}

const materialOf = ({ x, y, n }: JsonObject) => [x, y, n].map((one) => one ?? '').join(' ');

function writeNotes(described: readonly Described[], { stderr }: CommandHost): void {
  for (const { client, reason, notes } of described) {
    const name = `${client.place} ${client.clientId}`;
    if (reason !== undefined) stderr.write(`${cleanText(`${name}: not imported: ${reason}`)}\n`);
    else if (notes.length > 0) {
      stderr.write(`${cleanText(`${name}: not carried over: ${notes.join(', ')}`)}\n`);
    }
  }
}

const dataOf = ({ client, reason, notes }: Described): JsonObject => ({
  client_id: client.clientId,
  ...(reason === undefined ? { not_carried_over: [...notes] } : { not_imported: reason }),
});
