import type { FastifyServerOptions } from 'fastify';

const unused = () => {
  throw new Error('no route has a JSON schema');
};

/** Keeps Fastify from loading its compilers of JSON schemas, which no route has. */
export const withoutSchemas = {
  schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
} satisfies FastifyServerOptions;
