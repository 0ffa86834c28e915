// `workspaces set-logo`: sends an image.
import type { JsonObject } from '@bufbuild/protobuf';
import {
  PutWorkspaceLogoResponseSchema,
  WorkspaceService,
} from '../../../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { CommandHost, Input } from '../base/command.ts';
import { readInput } from '../base/files.ts';
import { wantsJson, writeJson, writeObject } from '../base/print.ts';
import { openRemote } from './remote.ts';
import { jsonOf } from './response.ts';
import { onlyMessage } from './transport.ts';

/** The server refuses more than 1 MiB in all messages. */
const chunkBytes = 64 * 1024;

export async function runLogo(input: Input, host: CommandHost): Promise<number> {
  const { file = '', 'workspace-id': workspaceId = '' } = input.args;
  const bytes = await readInput(file);
  const remote = await openRemote(host);
  const method = WorkspaceService.method.putWorkspaceLogo;
  const message = await remote.authorized(method, async (transport) => {
    async function* parts() {
      yield { workspaceId };
      for (let start = 0; start < bytes.length; start += chunkBytes) {
        yield { file: bytes.subarray(start, start + chunkBytes) };
      }
    }
    return onlyMessage(await transport.stream(method, undefined, undefined, undefined, parts()));
  });
  const workspace = jsonOf(PutWorkspaceLogoResponseSchema, message).workspace as JsonObject;
  await (wantsJson(input) ? writeJson(host, workspace) : writeObject(host, workspace));
  return 0;
}
