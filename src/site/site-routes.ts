// The routes that belong to no module.

import type { HttpRoute } from '../api/routes/route.ts';
import { type ConsoleOptions, consoleRoute } from './console-route.ts';
import { errorsRoute } from './errors-route.ts';
import { homeRoute } from './home-route.ts';
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
