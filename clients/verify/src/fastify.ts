// A plugin for Fastify: each route has a rule, and a route without one is refused.
import type { FastifyPluginCallback } from 'fastify';
import { certificateDigestOf, check, onlyAuthorization, onlyValue } from './check.ts';
import { keepClaims } from './claims-of.ts';
import { httpRefusalOf, VerifyError } from './errors.ts';
import { type Rule, scopesOf } from './rule.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf } from './claims-of.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access rule of the route, for `@latchkey/verify`. */
    access?: Rule<import('fastify').FastifyRequest>;
  }
}

export type PluginOptions = { readonly verifier: Verifier };

/**
 * Register it before the routes. A route declares its rule in `config.access`. Throws a TypeError
 * for a malformed scope when the route is added.
 */
export const requireTokens: FastifyPluginCallback<PluginOptions> = (app, { verifier }, done) => {
  app.addHook('onRoute', ({ config }) => {
    const rule = config?.access;
    if (rule !== undefined && 'scope' in rule) scopesOf(rule);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return;
    try {
      const rule = request.routeOptions.config.access;
      const { method, originalUrl: path, headers } = request;
      const authorization = onlyAuthorization(request.raw);
      const presented = {
        ...{ authorization, dpop: onlyValue(headers.dpop), method, path },
        certificateSha256: certificateDigestOf(request.raw.socket),
      };
      const claims = await check(verifier, rule, presented, request);
      if (claims !== undefined) keepClaims(request, claims);
    } catch (thrown) {
      if (!(thrown instanceof VerifyError)) throw thrown;
      const { status, headers, body } = httpRefusalOf(thrown);
      return reply.code(status).headers(headers).send(body);
    }
  });
  done();
};

// The hooks also apply to routes outside of the plugin, as with fastify-plugin.
Object.assign(requireTokens, { [Symbol.for('skip-override')]: true });
