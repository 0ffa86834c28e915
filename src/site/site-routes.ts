// The routes that belong to no module.

import type { HttpRoute } from '../api/routes/route.ts';
import { fail } from '../base/errors/errors.ts';
import { acceptsHtml } from '../base/http/negotiation.ts';
import { type ConsoleOptions, consoleRoute } from './console-route.ts';
import { errorsRoute } from './errors-route.ts';
import { openApiRoutes } from './openapi-routes.ts';

export type SiteOptions = ConsoleOptions & {
  readonly webDir: string;
};

export function siteRoutes(options: SiteOptions): HttpRoute[] {
  return [
    homeRoute,
    errorsRoute(options.assets),
    ...openApiRoutes(options.webDir),
    consoleRoute(options),
  ];
}

/** Redirects a browser from `/` to the console. For other clients, the path does not exist. */
const homeRoute: HttpRoute = {
  method: 'GET',
  path: '/',
  name: 'home',
  doc: {
    id: 'home',
    tag: 'Console',
    summary: 'Open the console',
    description: 'Redirects a browser to the console. For other clients, the path does not exist.',
    responses: {
      302: {
        description: 'The address of the console. The request accepts HTML.',
        headers: { Location: 'Always `/console`.' },
      },
    },
    errors: ['not_found'],
  },
  async handle(request) {
    if (!acceptsHtml(request.header('accept'))) {
      throw fail('not_found', 'Nothing exists at this path.');
    }
    const headers = { location: '/console', 'cache-control': 'no-store', vary: 'accept' };
    return { status: 302, headers, body: undefined };
  },
};
