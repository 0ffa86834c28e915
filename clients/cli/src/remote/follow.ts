// `--follow`: prints the last rows of a list, and then each new row.
import type { JsonObject } from '@bufbuild/protobuf';
import { UsageError } from '../base/command.ts';
import { wantsJson, write, writeRows } from '../base/print.ts';
import { pause, untilInterrupted } from '../base/signals.ts';
import { type List, lineOf, pagesOf, rowsIn } from './list.ts';

const pauseMs = 2000;

/** A row may appear this long after the time that it names. */
const lateMs = 15_000;

/** Ends with an error at a signal. The times are those of the server. */
export async function followList(list: List): Promise<number> {
  const { input, host, request } = list;
  if (input.options.all === true || input.options['end-time'] !== undefined) {
    throw new UsageError('--follow cannot be combined with --all or --end-time.');
  }
  return untilInterrupted(host, async (signal) => {
    let known = await rowsOfPages(list);
    await print(list, known);
    // Older rows are not printed.
    const firstMs = known.length === 0 ? -Infinity : Math.min(...known.map(timeOfRow));
    for (;;) {
      await pause(host, pauseMs, signal);
      const sinceMs = Math.max(firstMs, Math.max(...known.map(timeOfRow)) - lateMs);
      const start = Number.isFinite(sinceMs) ? { start_time: new Date(sinceMs).toISOString() } : {};
      const options = { ...input.options, all: true };
      const recent = await rowsOfPages({
        ...list,
        input: { ...input, options },
        request: { ...request, ...start },
      });
      const ids = new Set(known.map(({ id }) => id));
      const added = recent.filter(({ id }) => !ids.has(id));
      await print(list, added);
      known = recent;
    }
  });
}

const timeOfRow = ({ create_time }: JsonObject) => Date.parse(String(create_time));

async function rowsOfPages(list: List): Promise<JsonObject[]> {
  const { rowsOf } = rowsIn(list);
  const rows: JsonObject[] = [];
  for await (const page of pagesOf(list)) rows.push(...rowsOf(page));
  return rows;
}

/** Prints the oldest row first. */
async function print(list: List, rows: readonly JsonObject[]): Promise<void> {
  const { fields, shownRow } = rowsIn(list);
  const ordered = rows.toReversed();
  if (wantsJson(list.input)) await write(list.host, ordered.map(lineOf).join(''));
  else await writeRows(list.host, fields, ordered.map(shownRow));
}
