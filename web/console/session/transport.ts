/** The way to the service, on its Connect face: with the user's token, and through a step-up. */
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import { Code, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { localError, reasonOf, requestIdOf } from './error-details.ts';
import type { Session } from './session.ts';
import type { StepUp } from './step-up.ts';

/** Adds no token. */
export function createPlainTransport(): Transport {
  return createConnectTransport({ baseUrl: '/' });
}

export function createTransport(session: Session, stepUp: StepUp): Transport {
  return createConnectTransport({
    baseUrl: '/',
    interceptors: [stepUpFor(session, stepUp), tokenOf(session)],
  });
}

/** Sends a token. */
function tokenOf(session: Session): Interceptor {
  return (next) => (request) =>
    session.send((token) => {
      request.header.set('authorization', `Bearer ${token}`);
      return next(request);
    });
}

/**
 * An action that needs a recent sign-in asks for one, and goes on. What is only looked at does not:
 * its page offers it, so that no dialog opens by itself.
 */
function stepUpFor(session: Session, stepUp: StepUp): Interceptor {
  return (next) => async (request) => {
    const { userId } = session;
    try {
      return await next(request);
    } catch (error) {
      const isAction = request.method.idempotency !== Idempotency.NO_SIDE_EFFECTS;
      if (reasonOf(error) !== 'step_up_required' || !isAction) throw error;
      // Whoever is there by now has not begun it.
      session.requireSameUser(userId);
      if (!(await stepUp.ask())) throw declined(error);
      session.requireSameUser(userId);
      return next(request);
    }
  };
}

const declined = (cause: unknown) =>
  localError(
    'step_up_declined',
    'Nothing was changed. It needs a sign-in of the last few minutes, which was left out.',
    Code.Unauthenticated,
    requestIdOf(cause),
  );
