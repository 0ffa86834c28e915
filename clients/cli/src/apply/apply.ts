// `apply`: makes the resources of a server as the files of a folder say.
import type { JsonObject } from '@bufbuild/protobuf';
import {
  CommandError,
  type CommandHost,
  type Input,
  runnable,
  textOption,
  UsageError,
} from '../base/command.ts';
import { exitStatuses } from '../base/exit-status.ts';
import { wantsJson, writeJson, writeRows } from '../base/print.ts';
import { cleanText } from '../base/text.ts';
import { openRemote, type Remote } from '../remote/remote.ts';
import { type KindName, kinds } from './kinds.ts';
import { planOf, type Step } from './plan.ts';
import { readFolder } from './read-files.ts';
import { Ids } from './references.ts';
import { type Outcome, runSteps } from './run-steps.ts';
import { openSecrets } from './secrets.ts';
import { applyStatuses } from './statuses.ts';
import { byExternalId, isDeleted, listKind, type Stored, type StoredKinds } from './stored.ts';

export const runApply = (input: Input, host: CommandHost) =>
  withOneFailureStatus(() => apply(input, host));

/** Every failure except an interruption has status 1, because 2 and 3 have another meaning. */
export async function withOneFailureStatus(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) throw new CommandError(error.message);
    const isFailure =
      error instanceof CommandError && error.status !== exitStatuses.interrupted.status;
    throw isFailure ? withStatus(error, applyStatuses.failed) : error;
  }
}

const withStatus = (error: CommandError, status: number) => Object.assign(error, { status });

async function apply(input: Input, host: CommandHost): Promise<number> {
  const folder = textOption(input, 'folder');
  if (folder === undefined) throw new UsageError('Name the folder with the files: -f <folder>.');
  requireSecretsFolder(input);
  const isPruning = input.options.prune === true;
  const declared = await readFolder(folder);
  const remote = await openRemote(host);
  // The credential may lack access to kinds that the files do not name.
  const used = new Set<KindName>(
    declared.flatMap(({ kind }) => [kind.name, ...referred(kind.name)]),
  );
  const { stored, deleted } = await readStored(remote, (name) => isPruning || used.has(name));
  const ids = new Ids(stored);
  const steps = await planOf({ remote, declared, stored, deleted, ids, isPruning });
  return carryOut(steps, { input, host, remote, ids });
}

export function requireSecretsFolder(input: Input): void {
  if (textOption(input, 'secrets-dir') !== '-' || !wantsJson(input)) return;
  throw new UsageError('With --json, --secrets-dir must be a folder.');
}

type PlanRun = {
  readonly input: Input;
  readonly host: CommandHost;
  readonly remote: Remote;
  readonly ids: Ids;
  /** More members of the JSON output. */
  readonly data?: JsonObject;
};

/** Prints the plan and makes its changes, unless it is a dry run. Returns the exit status. */
export async function carryOut(
  steps: readonly Step[],
  { input, host, remote, ids, data = {} }: PlanRun,
): Promise<number> {
  const isDry = input.options['dry-run'] === true;
  if (!wantsJson(input)) await writePlan(host, steps);
  if (isDry || steps.length === 0) {
    const changes = steps.map((step) => dataOf({ step }));
    if (wantsJson(input)) await writeJson(host, { changes, ...data });
    else host.stderr.write(steps.length === 0 ? 'Nothing to change.\n' : 'Nothing was changed.\n');
    return steps.length === 0 ? applyStatuses.same : applyStatuses.drift;
  }
  const keepSecret = await openSecrets(textOption(input, 'secrets-dir'), steps, host);
  const { outcomes, isInterrupted } = await runSteps(steps, { remote, ids, keepSecret });
  if (wantsJson(input)) await writeJson(host, { changes: outcomes.map(dataOf), ...data });
  const status = report(outcomes, steps.length - outcomes.length, host);
  return isInterrupted ? exitStatuses.interrupted.status : status;
}

/** The kinds that resources of a kind can name. */
function referred(name: KindName): KindName[] {
  const specs = Object.values(kinds.find((kind) => kind.name === name)?.fields ?? {});
  return specs.flatMap(({ type, refersTo = {} }): KindName[] =>
    type === 'identities' ? ['trusted_issuers'] : Object.values(refersTo),
  );
}

export async function readStored(
  remote: Remote,
  isUsed: (name: KindName) => boolean,
): Promise<{ readonly stored: StoredKinds; readonly deleted: StoredKinds }> {
  const stored: Partial<Record<KindName, ReadonlyMap<string, Stored>>> = {};
  const deleted: typeof stored = {};
  for (const kind of kinds) {
    const rows = isUsed(kind.name) ? await listKind(remote, kind) : [];
    stored[kind.name] = byExternalId(rows.filter((row) => !isDeleted(row)));
    deleted[kind.name] = byExternalId(rows.filter(isDeleted));
  }
  return { stored: stored as StoredKinds, deleted: deleted as StoredKinds };
}

const fields = ['action', 'kind', 'external_id', 'fields'].map((path) => ({
  path,
  title: path.replace('_', ' '),
}));

const writePlan = (host: CommandHost, steps: readonly Step[]) =>
  writeRows(
    host,
    fields,
    steps.map((step) => dataOf({ step })),
  );

const dataOf = ({ step: { action, kind, externalId, fields: names }, error }: Outcome) => ({
  ...{ action, kind: kind.noun, external_id: externalId, fields: names },
  ...(error === undefined ? {} : { error }),
});

function report(outcomes: readonly Outcome[], untried: number, host: CommandHost): number {
  const { stderr } = host;
  const failed = outcomes.filter(({ error }) => error !== undefined);
  for (const { step, error } of failed) {
    const name = `${step.kind.noun} ${step.externalId}`;
    const [place] = step.declared?.place.split(': ') ?? [];
    const text = `${place === undefined ? '' : `${place}: `}${name}: ${error}`;
    stderr.write(`${runnable(cleanText(text), host)}\n`);
  }
  const done = outcomes.length - failed.length;
  const rest = untried === 0 ? '' : `, ${untried} not tried`;
  stderr.write(`${done} changed, ${failed.length} failed${rest}.\n`);
  return failed.length > 0 ? applyStatuses.failed : applyStatuses.changed;
}
