// The routes of the operations port, with their descriptions in the OpenAPI document.
import type { RouteDoc } from '../api/routes/route-doc.ts';

const checks = {
  type: 'object',
  description: 'The result of each check: `ok`, `failing` or `no answer`.',
  additionalProperties: { type: 'string' },
};

const readiness = {
  title: 'Readiness',
  type: 'object',
  required: ['status', 'checks'],
  properties: {
    status: { type: 'string', enum: ['ok', 'not ready', 'draining'] },
    checks,
    workers: {
      type: 'object',
      description: 'The worker processes, on a node with `LATCHKEY_WORKERS`.',
      required: ['ready', 'total', 'unresponsive'],
      properties: {
        ready: { type: 'integer' },
        total: { type: 'integer' },
        unresponsive: { type: 'array', items: { type: 'integer' } },
      },
    },
  },
};

const allowed = {
  title: 'DomainAllowed',
  type: 'object',
  required: ['allowed'],
  properties: { allowed: { type: 'boolean' } },
};

const json = ['application/json'];

const tooLarge = { 431: { description: 'The headers are larger than 16 KiB.' } };

export const opsRoutes = [
  {
    path: '/healthz',
    doc: {
      id: 'healthz',
      tag: 'Operations',
      summary: 'Check that the process runs',
      description: 'Restart the process if this path does not answer.',
      responses: {
        ...tooLarge,
        200: {
          description: 'The process runs.',
          types: json,
          schema: {
            title: 'Health',
            type: 'object',
            required: ['status'],
            properties: { status: { type: 'string', const: 'ok' } },
          },
        },
      },
      errors: [],
    },
  },
  {
    path: '/readyz',
    doc: {
      id: 'readyz',
      tag: 'Operations',
      summary: 'Check that the node can serve calls',
      description: 'Send the node no calls while the status is 503.',
      responses: {
        ...tooLarge,
        200: { description: 'The node can serve calls.', types: json, schema: readiness },
        503: {
          description: 'A check fails, or the process is about to stop.',
          types: json,
          schema: readiness,
        },
      },
      errors: [],
    },
  },
  {
    path: '/metrics',
    doc: {
      id: 'metrics',
      tag: 'Operations',
      summary: 'Read the metrics',
      description: 'The metrics of all processes of the node, in the text format of Prometheus.',
      responses: { 200: { description: 'The metrics.', types: ['text/plain'] }, ...tooLarge },
      errors: [],
    },
  },
  {
    path: '/internal/domain-allowed',
    doc: {
      id: 'domainAllowed',
      tag: 'Operations',
      summary: 'Check that a domain may have a certificate',
      description:
        'For a proxy that gets certificates on demand, such as the `ask` of Caddy. The domain is ' +
        'in the query parameter `domain`.',
      query: { domain: { description: 'The host name, in lower case.', isRequired: true } },
      responses: {
        ...tooLarge,
        200: { description: 'A workspace has verified the domain.', types: json, schema: allowed },
        404: { description: 'No workspace has verified the domain.', types: json, schema: allowed },
        503: { description: 'The database cannot be read.', types: json, schema: allowed },
      },
      errors: [],
    },
  },
] as const satisfies readonly { readonly path: string; readonly doc: RouteDoc }[];

export type OpsPath = (typeof opsRoutes)[number]['path'];
