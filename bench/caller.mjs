// The context of a call that has no transport, for handlers that read their caller.
import { createContextValues } from '@connectrpc/connect';
import { setCaller } from '../src/api/principal.ts';

/** Its caller presented no client certificate and sends no header. */
export const context = { values: createContextValues() };
const none = () => undefined;
setCaller(context, { call: { header: none, clientCertificate: none } });
