// Counts what the clients of the HTTP listener have not read.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import {
  type ResponseAccount,
  type ResponseBudget,
  smallBytes,
} from '../../api/response-budget.ts';
import { networkOf } from '../../base/net/network.ts';
import { endStream } from './connections.ts';
import type { PeerOf } from './request-facts.ts';

export type Unread = {
  /** Throws `unavailable` if the client has too many unread responses. */
  admit(request: IncomingMessage): void;
  accountOf(response: ServerResponse): ResponseAccount;
  /** Counts the unread bytes of a response, and bytes that it reads ahead. */
  count(response: ServerResponse, readAhead?: number): void;
  /** Counts a response over HTTP/2 that was sent and is still open. */
  countAnswered(response: ServerResponse): void;
};

export function createUnread(budget: ResponseBudget, peerOf: PeerOf): Unread {
  const accounts = new WeakMap<ServerResponse, ResponseAccount>();
  const clientOf = (request: IncomingMessage) => ({
    network: networkOf(peerOf(request)),
    connection: streamOf(request)?.session ?? request.socket,
  });

  function accountOf(response: ServerResponse): ResponseAccount {
    const known = accounts.get(response);
    if (known !== undefined) return known;
    const end = () => endAtOnce(response);
    const account = budget.open({ ...clientOf(response.req), end });
    accounts.set(response, account);
    if (response.destroyed) account.close();
    else response.once('close', () => account.close());
    return account;
  }

  return {
    admit(request) {
      if (budget.held().bytes > 0) budget.admit(clientOf(request));
    },
    accountOf,
    count(response, readAhead = 0) {
      const bytes = response.writableLength + readAhead;
      if (bytes >= smallBytes || accounts.has(response)) accountOf(response).hold(bytes);
    },
    countAnswered(response) {
      const { writableLength: bytes, writableEnded } = response;
      // The end of a body needs a window, too.
      if (bytes > 0 || writableEnded) accountOf(response).hold(Math.max(1, bytes));
    },
  };
}

export function countedResponses(unread: Unread): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override write(...given: unknown[]): boolean {
      const isBelowMark = Reflect.apply(super.write, this, given);
      unread.count(this);
      return isBelowMark;
    }

    override end(...given: unknown[]): this {
      Reflect.apply(super.end, this, given);
      unread.count(this);
      return this;
    }
  };
}

/** Whether the client can receive a body now. Without a window, the body would stay in memory. */
export function hasWindow(request: IncomingMessage): boolean {
  const session = streamOf(request)?.session;
  if (session === undefined) return true;
  const { initialWindowSize = 65_535 } = session.destroyed ? {} : session.remoteSettings;
  const { remoteWindowSize = 0 } = session.state;
  return initialWindowSize > 0 && remoteWindowSize > 0;
}

function streamOf(
  request: IncomingMessage & { readonly stream?: ServerHttp2Stream },
): ServerHttp2Stream | undefined {
  return request.stream;
}

function endAtOnce(response: ServerResponse): void {
  const stream = streamOf(response.req);
  if (stream === undefined) response.destroy();
  else endStream(stream);
}
