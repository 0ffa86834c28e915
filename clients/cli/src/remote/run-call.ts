// Runs the commands that call one method.
import type { JsonObject, Message } from '@bufbuild/protobuf';
import { copyToClipboard } from '../base/clipboard.ts';
import {
  CommandError,
  type CommandHost,
  type Input,
  programName,
  UsageError,
} from '../base/command.ts';
import { pathWords, wantsJson, writeJson, writeObject } from '../base/print.ts';
import { canAsk, confirm } from '../base/prompt.ts';
import { cleanText } from '../base/text.ts';
import type { CallSpec } from './call-spec.ts';
import { fieldAt } from './columns.ts';
import { followList } from './follow.ts';
import { keyHeader, withKey } from './idempotency.ts';
import { printList } from './list.ts';
import { methodOf } from './methods.ts';
import { readLinkId, readUserId, workspaceIdOf } from './named-ids.ts';
import { openRemote, type Remote } from './remote.ts';
import { readRequest } from './request.ts';
import { bodyField, jsonOf, shownData } from './response.ts';
import { callPublic, findTarget } from './server.ts';

export async function runCall(spec: CallSpec, given: Input, host: CommandHost): Promise<number> {
  const method = methodOf(spec);
  if (spec.isPublic) {
    const target = await findTarget(given, host);
    const options = { input: given, host, workspaceId: undefined };
    const request = await readRequest(method.input, spec, options);
    return print(spec, await callPublic(method, request, target), given, host);
  }
  const remote = await openRemote(host);
  const workspaceId = workspaceIdOf(given, remote);
  const input = await resolveIds(given, remote, workspaceId);
  const request = await readRequest(method.input, spec, { input, host, workspaceId });
  if (spec.question !== undefined) await requireYes(spec.question, input, host);
  if (spec.columns !== undefined) {
    const list = { spec, input, host, remote, method, request: jsonOf(method.input, request) };
    return input.options.follow === true ? followList(list) : printList(list);
  }
  const message = spec.isCreating
    ? await withKey(input, host, (key) => remote.call(method, request, keyHeader(key)))
    : await remote.call(method, request);
  return print(spec, message, input, host);
}

/** Replaces the addresses of a link and of a user with their ids. */
async function resolveIds(
  input: Input,
  remote: Remote,
  workspaceId: string | undefined,
): Promise<Input> {
  const { 'link-id': link, 'user-id': user } = input.args;
  const ids = {
    ...(link === undefined ? {} : { 'link-id': await readLinkId(link, remote, workspaceId) }),
    ...(user === undefined ? {} : { 'user-id': await readUserId(user, remote) }),
  };
  return { ...input, args: { ...input.args, ...ids } };
}

async function print(
  spec: CallSpec,
  message: Message,
  input: Input,
  host: CommandHost,
): Promise<number> {
  const method = methodOf(spec);
  const json = jsonOf(method.output, message);
  const body = bodyField(method.output);
  const data = body === undefined ? json : (json[body.name] as JsonObject);
  spec.warn?.(data, host);
  if (wantsJson(input)) await writeJson(host, data);
  else if (Object.keys(data).length === 0) host.stderr.write('Done.\n');
  else await writeObject(host, shownData(body?.message ?? method.output, data), fieldAt);
  if (host.stderr.isTTY === true && !wantsJson(input)) host.stderr.write(notesOn(spec, data, host));
  if (spec.copied !== undefined && input.options.copy === true) {
    await copyToClipboard(spec.copied.what, String(data[spec.copied.path]), host);
  }
  return 0;
}

/** The lines after the answer on a terminal: a secret to store, and the command that undoes it. */
function notesOn(spec: CallSpec, data: JsonObject, host: CommandHost): string {
  const { fields } = methodOf(spec).output;
  const secret = fields.find((field) => field.proto.options?.debugRedact && data[field.name]);
  const lines: string[] = [];
  if (secret !== undefined) {
    lines.push(`Store the ${pathWords(secret.name)} now. It is not shown again.\n`);
  }
  if (spec.undo !== undefined) {
    const [resource] = Object.values(data) as [JsonObject];
    lines.push(`To undo it: ${programName(host)} ${cleanText(`${spec.undo} ${resource.id}`)}\n`);
  }
  return lines.join('');
}

async function requireYes(question: string, input: Input, host: CommandHost): Promise<void> {
  if (input.options.yes === true) return;
  if (!canAsk(host)) throw new UsageError('This cannot be undone. Add --yes to confirm it.');
  if (!(await confirm(host, question))) throw new CommandError('Nothing was changed.');
}
