// The gRPC floor: IssueToken, ExchangeApiKey and VerifyToken on a bare grpc-js server, with the
// same messages as the service.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { IssuanceService } from '../../dist/gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../dist/gen/latchkey/identity/v1/verification_pb.js';
import { announce, createWork, readSettings } from './work.mjs';

const { issue, exchange, verify } = createWork(readSettings());
const server = new Server();

/** `handle(request, metadata, done)` calls `done` with the response's fields, or undefined. */
function serve(service, handlers) {
  const definitions = {};
  const implementations = {};
  for (const [name, handle] of Object.entries(handlers)) {
    const { input, output } = service.methods.find((method) => method.name === name);
    definitions[name] = {
      path: `/${service.typeName}/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes) => bytes,
      requestDeserialize: (bytes) => fromBinary(input, bytes),
      responseSerialize: (message) => Buffer.from(toBinary(output, message)),
      responseDeserialize: (bytes) => bytes,
    };
    implementations[name] = ({ request, metadata }, callback) =>
      handle(request, metadata, (answer) => {
        if (answer === undefined) callback({ code: status.UNAUTHENTICATED });
        else callback(null, create(output, answer));
      });
  }
  server.addService(definitions, implementations);
}

const tokenOf = (scope, done) => (issued) =>
  done(
    issued && {
      accessToken: issued.token,
      tokenType: 'Bearer',
      expiresIn: issued.lifetimeSeconds,
      scope,
    },
  );

serve(IssuanceService, {
  IssueToken: ({ clientId, clientSecret, scope }, _, done) =>
    issue(clientId, clientSecret, scope, tokenOf(scope, done)),
  ExchangeApiKey: ({ apiKey, scope }, _, done) => exchange(apiKey, scope, tokenOf(scope, done)),
});

serve(VerificationService, {
  VerifyToken({ token }, metadata, done) {
    const [authorization = ''] = metadata.get('authorization');
    verify(authorization, token, (claims) =>
      done(
        claims && {
          active: true,
          allowed: true,
          sub: claims.sub,
          clientId: claims.client_id,
          scope: claims.scope,
          aud: claims.aud,
          iss: claims.iss,
          iat: claims.iat,
          exp: claims.exp,
          jti: claims.jti,
          principalType: claims.principal_type,
        },
      ),
    );
  },
});

server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  announce(port);
});
