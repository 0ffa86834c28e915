// A progress bar on a terminal.
import type { CommandHost } from '../base/command.ts';
import { formatBytes } from '../base/print.ts';
import { cutText } from '../base/text.ts';

export type Progress = {
  add(bytes: number): void;
  /** Removes the bar. */
  end(): void;
};

const barWidth = 24;
const drawMs = 100;
const nameWidth = 30;

/** `total` is undefined if the size is not known. Without a terminal, nothing is shown. */
export function startProgress(
  { stderr }: Pick<CommandHost, 'stderr'>,
  name: string,
  total: number | undefined,
): Progress {
  if (stderr.isTTY !== true) return { add() {}, end() {} };
  const start = performance.now();
  let sent = 0;
  let drawn = Number.NEGATIVE_INFINITY;
  function draw(now: number): void {
    drawn = now;
    const seconds = Math.max(0.001, (now - start) / 1000);
    const rate = `${formatBytes(Math.round(sent / seconds))}/s`;
    stderr.write(`\r\u001b[K${cutText(name, nameWidth)}  ${amountOf(sent, total)}  ${rate}`);
  }
  return {
    add(bytes) {
      sent += bytes;
      const now = performance.now();
      if (now - drawn >= drawMs || sent === total) draw(now);
    },
    end: () => stderr.write('\r\u001b[K'),
  };
}

function amountOf(sent: number, total: number | undefined): string {
  if (total === undefined || total === 0) return formatBytes(sent);
  const share = Math.min(1, sent / total);
  const full = Math.round(share * barWidth);
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full);
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}% of ${formatBytes(total)}`;
}
