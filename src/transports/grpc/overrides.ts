// Replaces two methods of a call of grpc-js, which has no public way to see the bytes of a body or
// to change a status. All calls share the replacements: with a closure for each call, V8 kept the
// objects of ended calls until its next full collection.
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

export type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

export type CallFilter = {
  /** Returns whether grpc-js receives these bytes of the body. */
  admits(chunk: Buffer): boolean;
  /** Returns whether grpc-js sends this status. */
  allowsStatus(sent: SentStatus): boolean;
};

const filterKey = Symbol('filter');

type Methods = {
  handleDataFrame(chunk: Buffer): void;
  sendStatus(sent: SentStatus): void;
};

type FilteredCall = Methods & { [filterKey]?: CallFilter };

export function filterCall(call: object, filter: CallFilter): void {
  const filtered = call as FilteredCall;
  if (filtered.handleDataFrame === undefined) {
    throw new Error('grpc-js no longer has handleDataFrame');
  }
  filtered[filterKey] = filter;
  filtered.handleDataFrame = handleAdmittedBytes;
  filtered.sendStatus = sendAllowedStatus;
}

function handleAdmittedBytes(this: FilteredCall, chunk: Buffer): void {
  if (this[filterKey]?.admits(chunk)) originalsOf(this).handleDataFrame.call(this, chunk);
}

function sendAllowedStatus(this: FilteredCall, sent: SentStatus): void {
  if (this[filterKey]?.allowsStatus(sent)) originalsOf(this).sendStatus.call(this, sent);
}

const originalsOf = (call: FilteredCall): Methods => Object.getPrototypeOf(call);
