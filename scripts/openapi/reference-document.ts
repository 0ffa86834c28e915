// The types of the OpenAPI document, as far as the API reference shows it.

export type Document = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
};

type Reference = { readonly $ref: string };
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
};
export type Response = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string } | Reference>>;
  readonly content?: Content;
};
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
} & Readonly<Record<string, unknown>>;

/** Follows a reference within the document. */
export function resolve<T extends object>(value: T | Reference, document: Document): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = document.components[kind]?.[name];
  if (found === undefined) throw new Error(`the OpenAPI document has no ${value.$ref}`);
  return resolve(found as T | Reference, document);
}
