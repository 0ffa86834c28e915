// The OpenAPI document: the methods by the bindings that route requests, and the other routes.
import packageJson from '../../package.json' with { type: 'json' };
import { type Endpoint, methodFactsOf } from '../../src/api/endpoint.ts';
import type { HttpRoute } from '../../src/api/routes/route.ts';
import { routeTags } from '../../src/api/routes/route-doc.ts';
import { services } from '../../src/api/services.ts';
import { bindingsOf } from '../../src/transports/gateway/binding.ts';
import type { Template } from '../../src/transports/gateway/template.ts';
import { opsRoutes } from '../../src/transports/ops-routes.ts';
import { readComments } from './comments.ts';
import { headerParameters } from './download.ts';
import { generalResponses, problemSchemas } from './errors.ts';
import { createExamples } from './examples.ts';
import { headers } from './headers.ts';
import { introduction } from './introduction.ts';
import { operationOf, tagOf } from './operation.ts';
import { type NamedSchemas, operationOfDoc, operationsOfRoute } from './routes.ts';
import { createSchemas, type Schema } from './schema.ts';
import { securitySchemes } from './security.ts';

/** The document as text. The same sources give the same text. */
export function openApiDocument(routes: readonly HttpRoute[]): string {
  const comments = readComments();
  const schemas = createSchemas(comments);
  const context = { comments, schemas, examples: createExamples(comments) };
  const endpoints = allEndpoints();
  const paths: Record<string, Record<string, unknown>> = {};
  const put = (path: string, verb: string, operation: Schema) => {
    const item = paths[path] ?? {};
    paths[path] = item;
    if (item[verb] !== undefined) throw new Error(`two operations are ${verb} ${path}`);
    item[verb] = operation;
  };
  for (const endpoint of endpoints) {
    for (const [index, binding] of bindingsOf(endpoint).entries()) {
      const operation = operationOf(binding, index, context);
      put(pathOf(binding.template), binding.method.toLowerCase(), operation);
    }
  }
  const named: NamedSchemas = {};
  for (const route of routes) for (const entry of operationsOfRoute(route, named)) put(...entry);
  for (const { path, doc } of opsRoutes) {
    const servers = [{ url: 'http://127.0.0.1:9464', description: 'The operations port.' }];
    put(path, 'get', { ...operationOfDoc(doc, named), servers });
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Latchkey API',
      version: packageJson.version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: tagsOf(endpoints, comments.of),
    'x-tagGroups': tagGroups(endpoints),
    paths,
    components: {
      securitySchemes: securitySchemes(endpoints),
      schemas: sorted({ ...problemSchemas, ...schemas.components, ...named }),
      parameters: headerParameters,
      headers,
      responses: usedResponses(paths),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function allEndpoints(): Endpoint[] {
  const invoke = () => {
    throw new Error('the endpoints of the document are not called');
  };
  return Object.values(services).flatMap((service) =>
    service.methods.map((method) => {
      // The guard creates these values for a running service.
      return { ...methodFactsOf(method), kind: method.methodKind, invoke } as unknown as Endpoint;
    }),
  );
}

/** The templates of the methods are paths of OpenAPI, too. */
function pathOf({ source, segments }: Template): string {
  if (segments.some(({ kind }) => kind === 'rest') || source.includes('=')) {
    throw new Error(`OpenAPI cannot express the path ${source}`);
  }
  return source;
}

function tagsOf(endpoints: readonly Endpoint[], commentOf: (name: string) => string): Schema[] {
  const parents = new Map(endpoints.map((e) => [tagOf(e.descriptor), e.descriptor.parent]));
  const ofServices = [...parents].map(([name, { typeName }]) => ({
    name,
    description: commentOf(typeName),
  }));
  const ofRoutes = Object.entries(routeTags).map(([name, description]) => ({ name, description }));
  return [...ofServices, ...ofRoutes];
}

/** Redoc groups the tags in its menu by this extension. */
function tagGroups(endpoints: readonly Endpoint[]): Schema[] {
  const tagsIn = (area: string) => [
    ...new Set(
      endpoints
        .filter(({ name }) => name.startsWith(area))
        .map(({ descriptor }) => tagOf(descriptor)),
    ),
  ];
  return [
    { name: 'Tokens and access', tags: tagsIn('latchkey.identity.') },
    { name: 'Document sharing', tags: tagsIn('latchkey.sharing.') },
    { name: 'Pages and operations', tags: Object.keys(routeTags) },
  ];
}

function usedResponses(paths: unknown): Record<string, Schema> {
  const text = JSON.stringify(paths);
  const all = {
    ...generalResponses(),
    NotModified: {
      description: 'The copy of the caller is current. The response has no body.',
      headers: {
        'X-Request-Id': { $ref: '#/components/headers/RequestId' },
        'Cache-Control': { $ref: '#/components/headers/CacheControl' },
        ETag: { $ref: '#/components/headers/ETag' },
        'Accept-Ranges': { $ref: '#/components/headers/AcceptRanges' },
      },
    },
  };
  const used = Object.entries(all).filter(([name]) =>
    text.includes(`"#/components/responses/${name}"`),
  );
  return Object.fromEntries(used);
}

function sorted(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
