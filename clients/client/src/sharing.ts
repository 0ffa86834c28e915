// The messages, enums and services of latchkey.sharing.v1.
export * from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
export * from '../../../gen/latchkey/sharing/v1/document_pb.js';
export * from '../../../gen/latchkey/sharing/v1/insight_pb.js';
export * from '../../../gen/latchkey/sharing/v1/link_pb.js';
export * from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
export * from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
