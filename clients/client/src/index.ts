export type { ClientPrivateKey, PrivateJwk } from './assertions.ts';
export type { RetryOptions } from './attempts.ts';
export {
  type ClientOptions,
  createClient,
  type LatchkeyClient,
  type ServiceRequest,
} from './client.ts';
export type { CertificateCredentials, Credentials } from './credentials.ts';
export type { DpopKeyPair, DpopOption } from './dpop.ts';
export { type ErrorCode, errorCodes } from './error-codes.ts';
export { type FieldError, LatchkeyError, type LocalErrorCode } from './errors.ts';
export type { ExchangedToken, ExchangeToken, TokenExchange } from './exchange.ts';
export type { Services } from './services.ts';
export type { AccessToken } from './token-source.ts';
export type { Upload } from './upload.ts';
export type {
  ByteStream,
  Rereadable,
  UploadOptions,
  UploadProgress,
  UploadSource,
} from './upload-source.ts';
export { listAll } from './walk-list.ts';
