// Calls that last until somebody ends them: watchers of the health service, and reflection. They
// must not hold up the end of the process, as the calls of our own methods may.
import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';

export type LastingCalls = {
  readonly interceptor: ServerInterceptor;
  /** Ends them all. */
  end(): void;
};

/** `isOurs` tells whether a path is a method of ours. */
export function trackLastingCalls(isOurs: (path: string) => boolean): LastingCalls {
  const calls = new Set<ServerInterceptingCallInterface>();
  return {
    interceptor(method, call) {
      // The call as it is, which is all that grpc-js asks for: a wrapper costs each call its time.
      if (isOurs(method.path)) return call as ServerInterceptingCall;
      calls.add(call);
      return new ServerInterceptingCall(call, {
        start: (next) => next({ onCancel: () => void calls.delete(call) }),
        sendStatus(told, next) {
          calls.delete(call);
          next(told);
        },
      });
    },
    end() {
      for (const call of calls) {
        call.sendStatus({ code: status.UNAVAILABLE, details: 'The service is shutting down.' });
      }
      calls.clear();
    },
  };
}
