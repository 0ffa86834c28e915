// The messages, enums and services of latchkey.identity.v1.
export * from '../../../gen/latchkey/identity/v1/account_pb.js';
export * from '../../../gen/latchkey/identity/v1/audit_pb.js';
export * from '../../../gen/latchkey/identity/v1/client_pb.js';
export * from '../../../gen/latchkey/identity/v1/credential_pb.js';
export * from '../../../gen/latchkey/identity/v1/customer_pb.js';
export * from '../../../gen/latchkey/identity/v1/issuance_pb.js';
export * from '../../../gen/latchkey/identity/v1/session_pb.js';
export * from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
export * from '../../../gen/latchkey/identity/v1/user_pb.js';
export * from '../../../gen/latchkey/identity/v1/verification_pb.js';
