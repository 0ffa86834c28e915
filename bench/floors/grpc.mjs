// The floor of gRPC: IssueToken on a bare grpc-js server, with the same messages.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import {
  IssuanceService,
  IssueTokenRequestSchema,
  IssueTokenResponseSchema,
} from '../../dist/gen/latchkey/identity/v1/issuance_pb.js';
import { announce, createWork, readSettings } from './work.mjs';

const issue = createWork(readSettings());

const definition = {
  path: `/${IssuanceService.typeName}/IssueToken`,
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes) => bytes,
  requestDeserialize: (bytes) => fromBinary(IssueTokenRequestSchema, bytes),
  responseSerialize: (message) => Buffer.from(toBinary(IssueTokenResponseSchema, message)),
  responseDeserialize: (bytes) => bytes,
};

const server = new Server();
server.addService(
  { IssueToken: definition },
  {
    IssueToken({ request: { clientId, clientSecret, scope } }, callback) {
      issue(clientId, clientSecret, scope, (issued) => {
        if (issued === undefined) return callback({ code: status.UNAUTHENTICATED });
        const answer = {
          accessToken: issued.token,
          tokenType: 'Bearer',
          expiresIn: issued.lifetimeSeconds,
          scope,
        };
        callback(null, create(IssueTokenResponseSchema, answer));
      });
    },
  },
);

server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  announce(port);
});
