/** The way to the service, on its Connect face: with the user's token, and through a step-up. */
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { reasonOf } from './reason.ts';
import { withToken } from './requests.ts';
import type { Session } from './session.ts';
import type { StepUp } from './step-up.ts';

/** Adds no token. */
export function createPlainTransport(): Transport {
  return createConnectTransport({ baseUrl: '/' });
}

export function createTransport(session: Session, stepUp: StepUp): Transport {
  return createConnectTransport({
    baseUrl: '/',
    interceptors: [stepUpFor(stepUp), tokenOf(session)],
  });
}

function tokenOf(session: Session): Interceptor {
  return (next) => (request) =>
    withToken(session, (token) => {
      request.header.set('authorization', `Bearer ${token}`);
      return next(request);
    });
}

/**
 * An action that needs a recent sign-in asks for one, and goes on. What is only looked at does not:
 * its page offers it, so that no dialog opens by itself.
 */
function stepUpFor(stepUp: StepUp): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const isAction = request.method.idempotency !== Idempotency.NO_SIDE_EFFECTS;
      if (reasonOf(error) !== 'step_up_required' || !isAction) throw error;
      if (!(await stepUp.ask())) throw error;
      return next(request);
    }
  };
}
