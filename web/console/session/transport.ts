/** The Connect transport of the console. It adds the token and handles step-up. */
import { getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import { Code, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { access } from '../../../gen/latchkey/options/v1/access_pb.js';
import { localError, reasonOf, requestIdOf } from './error-details.ts';
import type { Session } from './session.ts';
import type { StepUp } from './step-up.ts';

/** Sends no token. */
export function createPlainTransport(): Transport {
  return createConnectTransport({ baseUrl: '/' });
}

export function createTransport(session: Session, stepUp: StepUp): Transport {
  return createConnectTransport({
    baseUrl: '/',
    interceptors: [handleStepUp(session, stepUp), addToken(session)],
  });
}

function addToken(session: Session): Interceptor {
  return (next) => (request) => {
    // Users call public methods before they sign in.
    if (getOption(request.method, access).public) return next(request);
    return session.send((token) => {
      request.header.set('authorization', `Bearer ${token}`);
      return next(request);
    });
  };
}

/**
 * Asks for a sign-in if a changing method requires a recent one, then repeats the call. Reading
 * methods fail instead, so that no dialog opens without a click.
 */
function handleStepUp(session: Session, stepUp: StepUp): Interceptor {
  return (next) => async (request) => {
    const { userId } = session;
    try {
      return await next(request);
    } catch (error) {
      const isAction = request.method.idempotency !== Idempotency.NO_SIDE_EFFECTS;
      if (reasonOf(error) !== 'step_up_required' || !isAction) throw error;
      // Another user must not confirm the action.
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
    'This action requires a recent sign-in.',
    Code.Unauthenticated,
    requestIdOf(cause),
  );
