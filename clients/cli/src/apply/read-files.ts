// Reads the YAML files of a folder. Reports every problem with its file, line and field.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';
import { cleanText } from '../base/text.ts';
import { listYamlFiles, readYamlFile, shownName } from './folder.ts';
import { type FieldSpec, isNameable, type Kind, kinds } from './kinds.ts';
import { type Problem, throwProblems } from './problems.ts';

export type Declared = {
  readonly kind: Kind;
  readonly externalId: string;
  /** The values of the fields that the file names. */
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly file: string;
  /** `clients.yaml:3: clients[0]`. */
  readonly place: string;
  /** Of a client of another server, which is only created. */
  readonly imported?: {
    /** More fields of the request. */
    readonly fields: JsonObject;
    /** The public keys that the client does not have. */
    readonly keys: readonly JsonObject[];
  };
};

export async function readFolder(folder: string): Promise<Declared[]> {
  const problems: Problem[] = [];
  const declared: Declared[] = [];
  for (const file of await listYamlFiles(folder)) {
    const reader = new FileReader(shownName(file), problems);
    declared.push(...reader.read(await readYamlFile(folder, file)));
  }
  problems.push(...duplicatesIn(declared));
  throwProblems(problems);
  return declared;
}

function duplicatesIn(declared: readonly Declared[]): Problem[] {
  const first = new Map<string, Declared>();
  return declared.flatMap((one) => {
    const key = `${one.kind.name} ${one.externalId}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, one);
    if (other === undefined) return [];
    const text = `${one.place}.external_id: ${one.externalId} is also that of ${other.place}`;
    return [{ file: one.file, text }];
  });
}

class FileReader {
  readonly #lines = new LineCounter();
  readonly #file: string;
  readonly #problems: Problem[];

  constructor(file: string, problems: Problem[]) {
    this.#file = file;
    this.#problems = problems;
  }

  read(text: string): Declared[] {
    // The library's check for duplicate keys takes quadratic time.
    const documents = parseAllDocuments(text, { lineCounter: this.#lines, uniqueKeys: false });
    return [documents].flat().flatMap((document) => {
      for (const { message, linePos } of document.errors) {
        const [line] = message.split('\n');
        const text = `${this.#file}:${linePos?.[0].line ?? 1}: ${line}`;
        this.#problems.push({ file: this.#file, text });
      }
      if (document.errors.length > 0 || document.contents === null) return [];
      let isRefused = false;
      const refuse = (node: unknown, problem: string) => {
        isRefused = true;
        this.#report(node, '', problem);
      };
      visit(document, {
        Alias: (_, node) => refuse(node, 'an alias is not supported: repeat the value'),
        Map: (_, { items }) => {
          const names = new Set<string>();
          for (const { key } of items) {
            const name = nameOf(key);
            if (names.has(name)) refuse(key, 'Map keys must be unique');
            names.add(name);
          }
        },
      });
      return isRefused ? [] : this.#readKinds(document.contents as Node);
    });
  }

  #place(node: unknown, name: string): string {
    const offset = (node as Node | null)?.range?.[0] ?? 0;
    const { line } = this.#lines.linePos(offset);
    return `${this.#file}:${Math.max(1, line)}:${name === '' ? '' : ` ${cleanText(name)}`}`;
  }

  #report(node: unknown, name: string, problem: string): void {
    const place = this.#place(node, name);
    const text = name === '' ? `${place} ${problem}` : `${place}: ${problem}`;
    this.#problems.push({ file: this.#file, text });
  }

  /** The members of a map, by name. */
  #members(node: unknown, name: string): [string, Node | null, unknown][] {
    if (!isMap(node)) {
      this.#report(node, name, 'must be a map of fields');
      return [];
    }
    return node.items.map(({ key, value }) => [nameOf(key), value as Node | null, key]);
  }

  #readKinds(root: Node): Declared[] {
    return this.#members(root, '').flatMap(([name, list, key]) => {
      const kind = kinds.find((one) => one.name === name);
      if (kind === undefined) {
        const known = kinds.map((one) => one.name).join(', ');
        this.#report(key, name, `is not a kind of resource. The kinds are: ${known}`);
        return [];
      }
      if (!isSeq(list)) {
        this.#report(key, name, 'must be a list of resources');
        return [];
      }
      return list.items.flatMap((item, i) => this.#readItem(kind, item, `${name}[${i}]`));
    });
  }

  #readItem(kind: Kind, item: unknown, name: string): Declared[] {
    const values: Record<string, JsonValue> = {};
    let externalId = '';
    for (const [field, node, key] of this.#members(item, name)) {
      const at = `${name}.${field}`;
      const value = jsonOf(node);
      if (field === 'external_id') {
        const problem = externalIdProblem(kind, value);
        if (problem !== undefined) this.#report(key, at, problem);
        externalId = problem === undefined ? String(value) : '?';
        continue;
      }
      const spec = Object.hasOwn(kind.fields, field) ? kind.fields[field] : undefined;
      const problem = spec === undefined ? 'is not a field' : problemOf(spec, value);
      if (problem !== undefined) this.#report(key, at, problem);
      else values[field] = value;
    }
    if (!isMap(item)) return [];
    if (externalId === '') this.#report(item, `${name}.external_id`, 'is missing');
    for (const [field, { isRequired }] of Object.entries(kind.fields)) {
      const isSet = field in values || item.has(field);
      if (isRequired && !isSet) this.#report(item, `${name}.${field}`, 'is missing');
    }
    if (externalId === '' || externalId === '?') return [];
    return [{ kind, externalId, values, file: this.#file, place: this.#place(item, name) }];
  }
}

/** Returns what is wrong with an external id; undefined if nothing is. */
function externalIdProblem(kind: Kind, value: JsonValue): string | undefined {
  if (typeof value !== 'string' || !/^[!-~]{1,128}$/.test(value)) {
    return 'must be a text of 1 to 128 characters without spaces';
  }
  return isNameable(kind, value) ? undefined : 'must not have the form of an id of the service';
}

const nameOf = (key: unknown) => String(isScalar(key) ? key.value : key);

const jsonOf = (node: Node | null): JsonValue =>
  node === null ? null : (node.toJSON() as JsonValue);

const isText = (value: unknown) => typeof value === 'string';

const isMember = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns what is wrong with a value; undefined if nothing is. */
function problemOf(spec: FieldSpec, value: JsonValue): string | undefined {
  switch (spec.type) {
    case 'text':
      if (spec.isRequired && value === '') return 'must not be empty';
      return isText(value) ? undefined : 'must be a text: put it in quotes';
    case 'texts':
      return Array.isArray(value) && value.every(isText) ? undefined : 'must be a list of texts';
    case 'number':
      return Number.isSafeInteger(value) ? undefined : 'must be a whole number';
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'object':
      return isMember(value) && isJson(value) ? undefined : 'must be a map of JSON values';
    case 'identities':
      return Array.isArray(value) && value.every(isIdentity)
        ? undefined
        : 'must be a list of maps with trusted_issuer, subject and, optionally, claims';
  }
}

/** YAML also has infinite numbers and, in version 1.1, sets. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && Object.values(value).every(isJson);
}

function isIdentity(value: unknown): boolean {
  if (!isMember(value)) return false;
  const { trusted_issuer, subject, claims = {}, ...rest } = value;
  const isComplete = isText(trusted_issuer) && isText(subject) && isMember(claims);
  return isComplete && Object.values(claims).every(isText) && Object.keys(rest).length === 0;
}
