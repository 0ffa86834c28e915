// gRPC calls, and counts of their answers.
import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { openRpcStreamTransports } from '../../support/document-streams.ts';
import {
  openTransports,
  type TransportAnswer,
  type UnaryMethod,
} from '../../support/transports.ts';
import type { Tally } from './tally.ts';

/** HAProxy balances connections, not calls. */
const connections = 8;

function openClient(grpcAddress: string) {
  const addresses = { publicUrl: '', grpcAddress };
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  const unary = openTransports(addresses, options).find(({ name }) => name === 'grpc');
  const streams = openRpcStreamTransports(addresses, options).find(({ name }) => name === 'grpc');
  if (unary === undefined || streams === undefined) throw new Error('there is no gRPC client');
  return { unary, streams };
}

export type GrpcClient = ReturnType<typeof openGrpc>;

export function openGrpc(grpcAddress: string, tally: Tally) {
  const clients = Array.from({ length: connections }, () => openClient(grpcAddress));
  let last = 0;

  /** The next connection. */
  function next(): ReturnType<typeof openClient> {
    const client = clients[last++ % clients.length];
    if (client === undefined) throw new Error('there is no gRPC client');
    return client;
  }

  /** The message, or undefined if the call failed. */
  async function counted<M>(
    action: string,
    work: () => Promise<TransportAnswer<M>>,
  ): Promise<M | undefined> {
    const sentAt = performance.now();
    const answer = await work();
    if (answer.ok) {
      tally.count('grpc', action, sentAt);
      return answer.message;
    }
    const { grpc, code, message } = answer.error;
    const isRefused = code === 'not_found' || code === 'conflict';
    const failure = `${status[grpc]} ${code === '' ? message.slice(0, 60) : code}`;
    tally.count('grpc', action, sentAt, isRefused ? undefined : failure);
    return undefined;
  }
  const bearer = (credential?: string) =>
    credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  return {
    call<M extends UnaryMethod>(
      method: M,
      request: MessageInitShape<M['input']>,
      credential?: string,
    ): Promise<MessageShape<M['output']> | undefined> {
      return counted(method.name, () => next().unary.call(method, request, bearer(credential)));
    },
    upload(bytes: Buffer, credential: string) {
      const pieces = [{ fileName: 'file.bin', file: bytes }];
      return counted('UploadDocument', () => next().streams.upload(pieces, bearer(credential)));
    },
    download(documentId: string, credential: string) {
      const download = () => next().streams.download({ documentId }, bearer(credential));
      return counted('DownloadDocument', download);
    },
    close() {
      for (const { unary, streams } of clients) {
        unary.close();
        streams.close();
      }
    },
  };
}
