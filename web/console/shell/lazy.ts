import { lazyRouteComponent } from '@tanstack/react-router';
import { NotLoadedError } from './error-screens.tsx';

/** Without this error, the router would reload the page, which fails while the user is offline. */
export const lazy: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new NotLoadedError(cause);
      }),
    name,
  );
