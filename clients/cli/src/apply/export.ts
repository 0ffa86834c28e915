// `export`: writes the resources with an external id as the files that `apply` reads.
import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { stringify } from 'yaml';
import { CommandError, type CommandHost, type Input } from '../base/command.ts';
import { replaceFile } from '../base/files.ts';
import { openRemote, type Remote } from '../remote/remote.ts';
import { readStored } from './apply.ts';
import { canonical, type FieldSpec, type Kind, kinds } from './kinds.ts';
import { Ids } from './references.ts';
import { listIdentities, type Stored, storedValue } from './stored.ts';

export async function runExport(input: Input, host: CommandHost): Promise<number> {
  const folder = input.args.folder ?? '';
  const files = kinds.map((kind) => path.join(folder, `${kind.name}.yaml`));
  if (input.options.replace !== true) await requireNew(files);
  const remote = await openRemote(host);
  const { stored } = await readStored(remote, () => true);
  const ids = new Ids(stored);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new CommandError(`Cannot create the folder ${folder}`, error, 'output');
  });
  let count = 0;
  for (const kind of kinds) {
    const resources: JsonObject[] = [];
    for (const [externalId, row] of stored[kind.name]) {
      resources.push(await fileFormOf(kind, externalId, row, { remote, ids }));
    }
    resources.sort((a, b) => (String(a.external_id) < String(b.external_id) ? -1 : 1));
    count += resources.length;
    const text = stringify(
      { [kind.name]: resources },
      { lineWidth: 0, aliasDuplicateObjects: false },
    );
    await replaceFile(path.join(folder, `${kind.name}.yaml`), text).catch((error: unknown) => {
      throw new CommandError('The file cannot be written', error, 'output');
    });
  }
  host.stderr.write(`Exported ${count} resources with an external id to ${folder}.\n`);
  return 0;
}

async function requireNew(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const isFound = await access(file).then(
      () => true,
      () => false,
    );
    if (isFound) throw new CommandError(`${file} already exists. Add --replace to replace it.`);
  }
}

type Source = { readonly remote: Remote; readonly ids: Ids };

async function fileFormOf(
  kind: Kind,
  externalId: string,
  row: Stored,
  { remote, ids }: Source,
): Promise<JsonObject> {
  const form: JsonObject = { external_id: externalId };
  for (const [name, spec] of Object.entries(kind.fields)) {
    if (spec.type === 'identities') {
      const identities = await identitiesOf(row, { remote, ids });
      if (identities.length > 0) form[name] = identities;
      continue;
    }
    const value = storedValue(spec.field ?? name, row);
    const isDefault =
      spec.absent !== undefined &&
      canonical(spec, value ?? spec.absent) === canonical(spec, spec.absent);
    if (value === undefined || isDefault) continue;
    form[name] = name === 'brand' ? colorOf(value) : named(spec, value, ids);
  }
  return form;
}

/** The address of the logo is not a setting. */
const colorOf = (value: JsonValue): JsonObject => ({
  accent_color: (value as JsonObject).accent_color ?? '',
});

/** With external ids instead of ids, where they exist. */
function named(spec: FieldSpec, value: JsonValue, ids: Ids): JsonValue {
  if (spec.refersTo === undefined) return value;
  const prefixes = Object.entries(spec.refersTo);
  return (value as string[]).map((id) => {
    for (const [prefix, kind] of prefixes) {
      const externalId = ids.externalIdOf(kind, id);
      if (externalId !== undefined) return prefix + externalId;
    }
    return id;
  });
}

async function identitiesOf({ id }: Stored, { remote, ids }: Source): Promise<JsonObject[]> {
  const rows = await listIdentities(remote, id);
  return rows.map(({ issuer_id, subject = '', claims = {} }) => {
    const issuer = String(issuer_id);
    const hasClaims = Object.keys(claims as JsonObject).length > 0;
    return {
      trusted_issuer: ids.externalIdOf('trusted_issuers', issuer) ?? issuer,
      subject,
      ...(hasClaims ? { claims } : {}),
    };
  });
}
