// Writes the API reference: the OpenAPI document as one HTML page without scripts.
import { marked } from 'marked';
import {
  type Document,
  type Operation,
  type Parameter,
  type Response,
  resolve,
  type Schema,
} from './reference-document.ts';

/** The addresses of the files that the page loads. */
export type ReferenceFiles = { readonly styles: string; readonly icon: string };

type Shown = Operation & { readonly method: string; readonly path: string };

export function referenceHtml(spec: object, { styles, icon }: ReferenceFiles): string {
  const document = spec as Document;
  const { info, tags } = document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Shown => ({ ...operation, method, path })),
  );
  const ofTag = (tag: string) => operations.filter((operation) => operation.tags[0] === tag);
  const sections = [...info.description.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);
  const introduction = markdown(info.description).replace(
    /<h2>(.+?)<\/h2>/g,
    (_, name: string) => `<h2 id="section/${idOf(name)}">${name}</h2>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>API reference · Latchkey</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${styles}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a href="#contents">Contents</a></header>
<nav id="contents" aria-label="Contents">
${list(sections.map((name) => linkTo(`section/${idOf(name)}`, name)))}
${document['x-tagGroups']
  .map(
    (group) =>
      `<p class="group">${escapeHtml(group.name)}</p>\n` +
      group.tags.map((tag) => menuOf(tag, ofTag(tag))).join('\n'),
  )
  .join('\n')}
<p class="group">${linkTo('schemas', 'Messages')}</p>
</nav>
<main id="content">
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
<p><a href="/openapi.json">OpenAPI document</a></p>
${introduction}
${tags
  .map(
    ({ name, description }) =>
      `<section>\n<h2 id="tag/${idOf(name)}">${escapeHtml(name)}</h2>\n${markdown(description)}` +
      `${ofTag(name)
        .map((operation) => operationHtml(operation, document))
        .join('\n')}\n</section>`,
  )
  .join('\n')}
<section>
<h2 id="schemas">Messages</h2>
${Object.entries(document.components.schemas ?? {})
  .map(([name, schema]) => schemaHtml(name, schema as Schema, document))
  .join('\n')}
</section>
</main>
</body>
</html>
`;
}

function menuOf(tag: string, operations: readonly Shown[]): string {
  const links = operations.map(({ operationId, summary }) =>
    linkTo(`operation/${operationId}`, summary),
  );
  return (
    `<details><summary>${escapeHtml(tag)}</summary>\n` +
    `${list([linkTo(`tag/${idOf(tag)}`, 'Overview'), ...links])}\n</details>`
  );
}

function operationHtml(operation: Shown, document: Document): string {
  const { operationId, summary, description = '', method, path } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(one, document));
  return `<article>
<h3 id="operation/${operationId}">${escapeHtml(summary)}</h3>
<p class="address"><strong class="${method}">${method.toUpperCase()}</strong>
<code>${escapeHtml(path)}</code></p>
${markdown(description)}${parametersHtml(parameters)}${bodyHtml(operation, document)}
<h4>Responses</h4>
${Object.entries(operation.responses)
  .map(([status, response]) =>
    responseHtml(status, resolve<Response>(response, document), document),
  )
  .join('\n')}
</article>`;
}

function parametersHtml(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description = '', schema = {} }) =>
    fieldHtml(name, schema, {
      facts: [place, required === true ? 'required' : ''],
      description,
    }),
  );
  return `<h4>Parameters</h4>\n<dl>\n${rows.join('\n')}\n</dl>`;
}

function bodyHtml({ requestBody }: Shown, document: Document): string {
  if (requestBody === undefined) return '';
  const parts = Object.entries(requestBody.content).map(
    ([type, { schema = {}, example }]) =>
      `<p class="type"><code>${escapeHtml(type)}</code></p>\n` +
      `${fieldsHtml(schema, document, true)}${exampleHtml(example)}`,
  );
  return `\n<h4>Request body</h4>\n${parts.join('\n')}`;
}

function responseHtml(status: string, response: Response, document: Document): string {
  const { description, headers = {}, content = {} } = response;
  const names = Object.entries(headers).map(([name, header]) => {
    const { description: text = '' } = resolve<{ description?: string }>(header, document);
    return fieldHtml(name, {}, { facts: ['header'], description: text });
  });
  const bodies = Object.entries(content).map(
    ([type, { schema, example }]) =>
      `<p class="type"><code>${escapeHtml(type)}</code> ${schema ? typeOf(schema) : ''}</p>\n` +
      exampleHtml(example),
  );
  const open = status.startsWith('2') ? ' open' : '';
  const [first = ''] = status;
  return (
    `<details class="response"${open}><summary>` +
    `<strong class="status-${first}">${status}</strong> ${briefOf(description)}</summary>\n` +
    markdown(description) +
    `${bodies.join('\n')}${names.length === 0 ? '' : `<dl>\n${names.join('\n')}\n</dl>`}</details>`
  );
}

/** The codes of an error, or the first sentence. */
function briefOf(description: string): string {
  const codes = [...description.matchAll(/^- (`[a-z_.]+`):/gm)].map(([, code = '']) => code);
  const text =
    codes.length > 0 ? codes.join(', ') : (/^.*?\.(?=\s|$)/.exec(description)?.[0] ?? '');
  return marked.parseInline(text, { async: false });
}

function schemaHtml(name: string, schema: Schema, document: Document): string {
  return (
    `<article>\n<h3 id="schema/${name}">${name}</h3>\n${markdown(schema.description ?? '')}` +
    `${fieldsHtml(schema, document, /(Request|Input)$/.test(name))}\n</article>`
  );
}

/** The properties of an object, or the type of another value. */
function fieldsHtml(schema: Schema, document: Document, isRequest: boolean): string {
  const { properties, required } = flatten(schema, document);
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldHtml(name, property, {
      facts: [isRequest && required.has(name) ? 'required' : ''],
      description: property.description ?? '',
    }),
  );
  if (fields.length === 0) return `<p>${typeOf(schema) || 'No fields.'}</p>`;
  return `<dl>\n${fields.join('\n')}\n</dl>`;
}

/** Merges the parts of a schema. */
function flatten(schema: Schema, document: Document) {
  const properties: Record<string, Schema> = {};
  const required = new Set<string>();
  const parts = schema.$ref === undefined ? [schema] : [resolve<Schema>(schema, document)];
  for (const part of parts) {
    Object.assign(properties, part.properties);
    for (const name of part.required ?? []) required.add(name);
    parts.push(...(part.allOf ?? []).map((one) => resolve<Schema>(one, document)));
  }
  return { properties, required };
}

type Field = { readonly facts: readonly string[]; readonly description: string };

function fieldHtml(name: string, schema: Schema, { facts, description }: Field): string {
  const shown = [typeOf(schema), ...limitsOf(schema), ...facts].filter((fact) => fact !== '');
  return (
    `<div><dt><code>${escapeHtml(name)}</code> <span>${shown.join(', ')}</span></dt>` +
    `<dd>${markdown(description)}</dd></div>`
  );
}

/** Such as `string`, `array of Link` or `integer (uint32)`. */
function typeOf(schema: Schema): string {
  const { $ref, type, format, items, const: only } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return linkTo(`schema/${name}`, name);
  }
  if (items !== undefined) return `array of ${typeOf(items)}`;
  if (only !== undefined) return `<code>${escapeHtml(JSON.stringify(only))}</code>`;
  const parts = schema.allOf ?? schema.anyOf ?? schema.oneOf;
  if (type === undefined && parts !== undefined) {
    const glue = schema.allOf === undefined ? ' or ' : ' and ';
    return [...new Set(parts.map(typeOf))].filter((one) => one !== 'object').join(glue);
  }
  const text = [type ?? []].flat().join(' or ');
  return escapeHtml(format === undefined ? text : `${text} (${format})`);
}

const limitWords: Readonly<Record<string, string>> = {
  minLength: 'at least % characters',
  maxLength: 'at most % characters',
  minItems: 'at least % items',
  maxItems: 'at most % items',
  minimum: 'at least %',
  maximum: 'at most %',
  pattern: 'matches %',
  default: 'by default %',
};

function limitsOf(schema: Schema): string[] {
  const isWholeType = schema.format?.startsWith('uint') || schema.format?.startsWith('int');
  const limits = Object.entries(limitWords).flatMap(([keyword, words]) => {
    const value = schema[keyword];
    if (value === undefined || (isWholeType && /imum$/.test(keyword) && isBoundOfType(value))) {
      return [];
    }
    if (keyword === 'minLength' && value === 1) return ['not empty'];
    const text = escapeHtml(typeof value === 'string' ? value : JSON.stringify(value));
    return [words.replace('%', () => (keyword === 'pattern' ? `<code>${text}</code>` : text))];
  });
  const values = schema.enum?.map((value) => `<code>${escapeHtml(String(value))}</code>`);
  return values === undefined ? limits : [...limits, `one of ${values.join(' ')}`];
}

/** Whether a limit only repeats the format. */
const isBoundOfType = (value: unknown) =>
  typeof value === 'number' && (value === 0 || Math.abs(value) >= 2 ** 31 - 1);

function exampleHtml(example: unknown): string {
  if (example === undefined) return '';
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return `<pre tabindex="0" aria-label="Example"><code>${escapeHtml(text)}</code></pre>`;
}

const markdown = (text: string) => (text === '' ? '' : marked.parse(text, { async: false }));

const list = (items: readonly string[]) =>
  `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;

const linkTo = (id: string, text: string) => `<a href="#${id}">${escapeHtml(text)}</a>`;

const idOf = (name: string) => name.replaceAll(' ', '-');

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
