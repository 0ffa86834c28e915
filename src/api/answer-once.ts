// Runs the handler of a call with an Idempotency-Key at most once: a repeated call gets the answer
// that the first one recorded.
import {
  create,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { AccessCheck } from './access-check.ts';
import {
  AlreadyRecorded,
  type KeyedCall,
  type KeyedRequest,
  replayedHeader,
  setClaim,
} from './idempotency/claim.ts';
import { UploadIdentity, unaryRequest } from './idempotency/request-identity.ts';
import type { MethodGuard } from './method-guard.ts';
import { repeatAccessCheck } from './workspace.ts';

type Keyed = {
  readonly methodGuard: MethodGuard;
  readonly check: AccessCheck;
  readonly keyed: KeyedCall;
};

type Answer = MessageInitShape<DescMessage>;

export async function answerUnaryOnce(
  call: Keyed,
  message: Message,
  work: () => Promise<Answer> | Answer,
): Promise<Message> {
  const { methodGuard, check } = call;
  const request = await unaryRequest(check.call.context, message);
  const replayed = await replay(call, request);
  if (replayed !== undefined) return replayed;
  const claimed = {
    isRecorded: false,
    request: () => request,
    async repeatCheck() {
      await check.run();
      await methodGuard.validate(check, message);
    },
  };
  return runClaimed(call, claimed, work);
}

export async function answerUploadOnce(
  call: Keyed,
  messages: AsyncIterable<Message>,
  work: (messages: AsyncIterable<Message>) => Promise<Answer>,
): Promise<Message> {
  const { methodGuard, check, keyed } = call;
  const { context } = check.call;
  const upload = new UploadIdentity(methodGuard.method.descriptor);
  const claimed = {
    // The request is known only at its end. The handler discards the bytes of a repeated upload.
    isRecorded: await methodGuard.answers.has(keyed),
    request: () => upload.request,
    repeatCheck: () => repeatAccessCheck(context, upload.workspaceId),
  };
  return runClaimed(call, claimed, () => work(upload.watch(messages, context)));
}

async function replay(
  { methodGuard, check, keyed }: Keyed,
  request: KeyedRequest,
): Promise<Message | undefined> {
  const bytes = await methodGuard.answers.find(keyed, request);
  if (bytes === undefined) return undefined;
  await methodGuard.requireOwnFactor(check);
  check.call.context.responseHeader.set(replayedHeader, 'true');
  return fromBinary(methodGuard.method.descriptor.output, bytes);
}

type Claimed = {
  readonly isRecorded: boolean;
  readonly request: () => KeyedRequest | undefined;
  readonly repeatCheck: () => Promise<void>;
};

async function runClaimed(
  call: Keyed,
  { isRecorded, request, repeatCheck }: Claimed,
  work: () => Promise<Answer> | Answer,
): Promise<Message> {
  const { methodGuard, check, keyed } = call;
  const { name, descriptor } = methodGuard.method;
  let hasRecorded = false;
  setClaim(check.call.context, {
    isRecorded,
    async record(trx, answer) {
      const known = request();
      if (known === undefined) throw new Error(`${name} has not read its whole request`);
      const init = answer as Answer;
      const bytes = toBinary(descriptor.output, create(descriptor.output, init));
      await methodGuard.answers.record(trx, keyed, known, bytes);
      hasRecorded = true;
    },
    // Only this call can have recorded an answer that its handler withdraws.
    withdraw: (trx) => methodGuard.answers.withdraw(trx, keyed),
  });
  try {
    const answer = create(descriptor.output, await work());
    if (!hasRecorded) throw new Error(`${name} has not recorded its answer`);
    return answer;
  } catch (error) {
    const known = request();
    if (known === undefined) throw error;
    // Another call may have recorded an answer in the meantime. So may this one: the database has
    // not confirmed its commit.
    const replayed = await repeatCheck()
      .then(() => replay(call, known))
      .catch((reason: unknown) => {
        throw error instanceof AlreadyRecorded ? reason : error;
      });
    if (replayed === undefined) throw error;
    return replayed;
  }
}
