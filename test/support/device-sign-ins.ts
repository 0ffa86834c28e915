// Starts sign-ins of the command line, as `latchkey login --browser` does.
import {
  SessionService,
  type StartDeviceSignInResponse,
} from '../../gen/latchkey/identity/v1/session_pb.js';
import { messageOf } from './manager-calls.ts';
import type { Transport } from './transports.ts';

export async function startDeviceSignIn(transport: Transport): Promise<StartDeviceSignInResponse> {
  const { startDeviceSignIn: method } = SessionService.method;
  return messageOf(await transport.call(method, { clientId: 'latchkey-cli' }));
}
