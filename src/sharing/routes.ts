// The routes of the sharing module. All of them are for readers, so that custom domains serve them.
import type { HttpRoute } from '../api/routes/route.ts';
import type { Database } from '../storage/schema/schema.ts';
import { brandRoutes } from './brand/routes.ts';
import { type GateRouteOptions, gateRoutes } from './gate/routes.ts';
import { type ViewRouteOptions, viewRoutes } from './views/routes.ts';

export type SharingRouteOptions = GateRouteOptions & ViewRouteOptions & { readonly db: Database };

export function sharingRoutes(options: SharingRouteOptions): HttpRoute[] {
  const routes = [...gateRoutes(options), ...brandRoutes(options.db), ...viewRoutes(options)];
  return routes.map((route) => ({ ...route, isOnDomains: true }));
}
