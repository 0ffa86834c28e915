// The guard wraps every handler once at start, before a transport sees it:
// authenticate -> kind of caller -> scope -> recent sign-in -> decode -> the same again if decoding
// took long -> workspace -> bounds -> recorded answer or handler -> error catalogue, metrics, log.
import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { type Failure, fail } from '../base/errors/errors.ts';
import { answerUnaryOnce, answerUploadOnce } from './answer-once.ts';
import type { Call } from './call.ts';
import {
  type Endpoint,
  type Handler,
  type MethodFacts,
  methodFactsOf,
  type ReadRequest,
} from './endpoint.ts';
import { type GuardOptions, MethodGuard } from './method-guard.ts';

export type Guard = (descriptor: MethodFacts['descriptor'], handler: Handler) => Endpoint;

export function createGuard(options: GuardOptions): Guard {
  return (descriptor, handler) => {
    const method = methodFactsOf(descriptor);
    const methodGuard = new MethodGuard(options, method);
    switch (descriptor.methodKind) {
      case 'unary':
        return { ...method, kind: 'unary', invoke: guardUnary(methodGuard, handler) };
      case 'client_streaming':
        return { ...method, kind: 'client_streaming', invoke: guardUpload(methodGuard, handler) };
      case 'server_streaming':
        return { ...method, kind: 'server_streaming', invoke: guardDownload(methodGuard, handler) };
      case 'bidi_streaming':
        throw new Error(`${method.name}: no transport carries streams in both directions`);
    }
  };
}

type ResponseMessage = MessageInitShape<DescMessage>;

function guardUnary(methodGuard: MethodGuard, handler: Handler) {
  // ServiceImpl guarantees that the handler matches its descriptor. Message types are unknown here.
  const handle = handler as (
    request: Message,
    context: HandlerContext,
  ) => Promise<ResponseMessage> | ResponseMessage;
  const output = methodGuard.method.descriptor.output;
  return async (call: Call, read: ReadRequest): Promise<Message> => {
    const started = performance.now();
    const check = methodGuard.startCheck(call);
    try {
      await check.run();
      const keyed = methodGuard.keyedCallOf(check);
      const message = await read();
      await check.repeatIfOld();
      const request = await methodGuard.validate(check, message);
      const work = () => handle(request, call.context);
      const response =
        keyed === undefined
          ? create(output, await work())
          : await answerUnaryOnce({ methodGuard, check, keyed }, request, work);
      methodGuard.observe(call, check.principal, started, undefined);
      return response;
    } catch (thrown) {
      throw methodGuard.observe(call, check.principal, started, methodGuard.failureOf(thrown));
    }
  };
}

function guardUpload(methodGuard: MethodGuard, handler: Handler) {
  const handle = handler as (
    requests: AsyncIterable<Message>,
    context: HandlerContext,
  ) => Promise<ResponseMessage>;
  const output = methodGuard.method.descriptor.output;
  return async (call: Call, requests: AsyncIterable<Message>): Promise<Message> => {
    const started = performance.now();
    const check = methodGuard.startCheck(call);
    try {
      await check.run();
      const keyed = methodGuard.keyedCallOf(check);
      const validated = methodGuard.validateEach(requests, check);
      const work = (messages: AsyncIterable<Message>) => handle(messages, call.context);
      const response =
        keyed === undefined
          ? create(output, await work(validated))
          : await answerUploadOnce({ methodGuard, check, keyed }, validated, work);
      methodGuard.observe(call, check.principal, started, undefined);
      return response;
    } catch (thrown) {
      throw methodGuard.observe(call, check.principal, started, methodGuard.failureOf(thrown));
    }
  };
}

function guardDownload(methodGuard: MethodGuard, handler: Handler) {
  const handle = handler as (
    request: Message,
    context: HandlerContext,
  ) => AsyncIterable<ResponseMessage>;
  const output = methodGuard.method.descriptor.output;
  return async function* (call: Call, read: ReadRequest): AsyncGenerator<Message> {
    const started = performance.now();
    const check = methodGuard.startCheck(call);
    let failure: Failure | undefined;
    let ended = false;
    try {
      await check.run();
      const message = await read();
      await check.repeatIfOld();
      const request = await methodGuard.validate(check, message);
      for await (const response of handle(request, call.context)) yield create(output, response);
      ended = true;
    } catch (thrown) {
      failure = methodGuard.failureOf(thrown);
      throw failure;
    } finally {
      // A transport may also end the stream early, for HEAD.
      if (!ended && call.isGone())
        failure ??= fail('canceled', 'The caller closed the connection.');
      methodGuard.observe(call, check.principal, started, failure);
    }
  };
}
