// Limits pipelining: a client may send requests before it has received the responses to earlier
// ones (RFC 9112 §9.3.2).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The response that each busy connection waits for. */
export type PendingResponses = Map<Socket, ServerResponse>;

/** Requests of one connection that may wait for the responses to earlier ones. */
const waitingMax = 16;

/**
 * Handles the requests of a connection one after another, and closes a connection with too many
 * waiting requests. One read can contain thousands of requests, and Node emits them all. Keeps
 * `pendingResponses` current.
 */
export function handleInSequence(handle: Handle, pendingResponses: PendingResponses): Handle {
  const waiting = new Map<Socket, ServerResponse[]>();

  function begin(request: IncomingMessage, response: ServerResponse): void {
    pendingResponses.set(request.socket, response);
    response.on('close', beginNext);
    handle(request, response);
  }

  function beginNext(this: ServerResponse): void {
    const { socket } = this.req;
    pendingResponses.delete(socket);
    const next = waiting.get(socket)?.shift();
    if (next === undefined || socket.destroyed) waiting.delete(socket);
    else begin(next.req, next);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (!pendingResponses.has(socket)) {
      begin(request, response);
      return;
    }
    const later = waiting.get(socket) ?? [];
    waiting.set(socket, later);
    if (later.length < waitingMax) {
      later.push(response);
    } else {
      socket.destroy();
      stopParsing(socket);
    }
  };
}

type Parser = { onIncoming?: unknown };

/**
 * Node keeps parsing the bytes that it has read, even on a closed connection. There is no
 * documented way to stop it: 2 is Node's value for an upgrade, after which HTTP ends. If a version
 * of Node ignores it, the requests are dropped one by one, at a higher cost.
 */
function stopParsing(socket: Socket & { readonly parser?: Parser | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}
