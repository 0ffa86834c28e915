// The standard health service.
import type {
  handleServerStreamingCall,
  Server,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

export type Health = Pick<HealthImplementation, 'setStatus'> & {
  addToServer(server: Pick<Server, 'addService'>): void;
};

/** Serves the health of the named services, SERVING until `setStatus`. */
export function createHealth(names: readonly string[]): Health {
  const known = new Set(names);
  const health = new HealthImplementation(
    Object.fromEntries(names.map((name) => [name, 'SERVING'])),
  );
  return {
    setStatus: (name, status) => health.setStatus(name, status),
    addToServer: (server) => {
      const addService: Server['addService'] = (definition, handlers) =>
        server.addService(definition, { ...handlers, watch: boundedWatch(handlers, known) });
      // The library has its own copies of these types.
      health.addToServer({ addService } as never);
    },
  };
}

type Watch = handleServerStreamingCall<{ service: string }, unknown>;

/** The library stores every watched name. Unknown names share one name. */
function boundedWatch(
  { watch }: UntypedServiceImplementation,
  known: ReadonlySet<string>,
): UntypedHandleCall {
  const bounded: Watch = (call) => {
    if (!known.has(call.request.service)) call.request.service = 'unknown';
    (watch as Watch)(call);
  };
  return bounded as UntypedHandleCall;
}
