// The worker processes of a node: starts them, replaces those that end, and collects their reports.
import cluster, { type Worker } from 'node:cluster';
import type { Log } from '../../observe/log.ts';
import {
  createProcessMetrics,
  lastingMetrics,
  type Metrics,
  mergeMetrics,
  type ProcessMetrics,
} from '../../observe/merge-metrics.ts';
import type { Readiness } from '../../transports/ops-server.ts';
import type { FromWorker, Report, SharedSocket, StartMessage, ToWorker } from './messages.ts';
import { Replacements } from './replacements.ts';
import { wholeLines } from './whole-lines.ts';

export type WorkerPoolOptions = {
  readonly size: number;
  readonly hungMs?: number | undefined;
  readonly program: string;
  readonly start: StartMessage;
  readonly release: (socket: SharedSocket) => Promise<void>;
  readonly log: Log;
  readonly writeLines: (bytes: Buffer) => void;
  readonly droppedLines: () => number;
};

type Member = {
  readonly worker: Worker;
  readonly startTime: number;
  readonly ended: Promise<void>;
  isReady: boolean;
  answeredAt: number;
  pingedAt: number;
  missed: number;
  metrics: ProcessMetrics;
};

/** A worker that sends neither a report nor a `pong` in this time counts as not ready. */
const answerMs = 1_000;
/** The time that a worker has for its report if it has sent a `pong`. */
const reportMs = 3_000;
const pingMs = 1_000;
const defaultHungMs = 30_000;
const hungStopMs = 5_000;

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Set<Member>();
  readonly #reports = new Map<number, (report: Report) => void>();
  readonly #replacements: Replacements;
  readonly #own: Metrics;
  #endedMetrics: ProcessMetrics = [];
  #lastReport = 0;
  #watch: NodeJS.Timeout | undefined;
  #failureReason: string | undefined;
  #isStarted = false;
  #isStopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#replacements = new Replacements({
      size: options.size,
      isServing: () => [...this.#members].some(({ isReady }) => isReady),
      start: () => void this.#fork(),
    });
    this.#own = createProcessMetrics(options.droppedLines);
    // Workers accept connections themselves, so no new connection waits for a worker that was
    // killed or does not answer.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // A worker writes to standard error only if Node ends it.
    const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const;
    cluster.setupPrimary({ exec: options.program, args: [], stdio: [...stdio] });
  }

  async start(): Promise<void> {
    this.#watch = setInterval(() => this.#pingAll(), pingMs);
    const first = Array.from({ length: this.#options.size }, () => this.#fork());
    const ready = await Promise.all(first);
    if (!ready.includes(true)) {
      throw new Error(`no worker could start: ${this.#failureReason ?? 'see the log'}`);
    }
    this.#isStarted = true;
    for (const isReady of ready) if (!isReady) this.#replacements.add(performance.now());
  }

  async readiness(): Promise<Readiness> {
    const { reports, unresponsive } = await this.#collect();
    const all = reports.map(({ readiness }) => readiness);
    const ready = all.filter((one) => one.ready);
    const checks = (ready[0] ?? all[0])?.checks ?? {};
    const workers = { ready: ready.length, total: this.#options.size, unresponsive };
    return { ready: ready.length > 0, checks, workers };
  }

  get metricsType(): string {
    return this.#own.contentType;
  }

  async metrics(): Promise<string> {
    const [own] = await Promise.all([this.#own.collect(), this.#collect()]);
    const current = [...this.#members].map(({ metrics }) => metrics);
    return mergeMetrics([...current, own, this.#endedMetrics]).read();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#replacements.stop();
    for (const { worker } of this.#members) send(worker, { type: 'stop' });
    await this.#allEnded();
  }

  async kill(): Promise<void> {
    this.#isStopping = true;
    this.#replacements.stop();
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    await Promise.all([...this.#members].map(({ ended }) => ended));
    clearInterval(this.#watch);
  }

  #pingAll(): void {
    const hungMs = this.#isStopping ? hungStopMs : (this.#options.hungMs ?? defaultHungMs);
    for (const member of this.#members) {
      const { worker, answeredAt, pingedAt } = member;
      // Counts pings, because the primary itself may have been suspended.
      member.missed = answeredAt < pingedAt ? member.missed + 1 : 0;
      if (member.missed * pingMs >= hungMs) {
        this.#options.log.error(
          { worker: worker.process.pid },
          'a worker does not answer and is killed',
        );
        worker.process.kill('SIGKILL');
      }
      member.pingedAt = performance.now();
      send(worker, { type: 'ping' });
    }
  }

  #fork(): Promise<boolean> {
    const worker = cluster.fork();
    const { stdout } = worker.process;
    stdout?.pipe(wholeLines()).on('data', this.#options.writeLines);
    // A message to a worker that has just ended fails.
    worker.on('error', () => {});
    return new Promise((resolve) => {
      // After this event, all output of the worker has been read.
      const ended = new Promise<void>((resolveEnd) => {
        worker.process.once('close', (exitCode, signal) => {
          this.#members.delete(member);
          resolve(false);
          void this.#noteEnd(member, { exit_code: exitCode, signal });
          resolveEnd();
        });
      });
      const startTime = performance.now();
      const answers = { answeredAt: startTime, pingedAt: startTime, missed: 0 };
      const member: Member = { worker, startTime, ended, isReady: false, metrics: [], ...answers };
      this.#members.add(member);
      worker.on('message', (message: FromWorker) => {
        member.answeredAt = performance.now();
        if (message.type === 'listening') send(worker, this.#options.start);
        else if (message.type === 'release') void this.#release(worker, message.socket);
        else if (message.type === 'report') this.#receive(member, message);
        else if (message.type === 'failed') this.#failureReason ??= message.reason;
        else if (message.type === 'ready') {
          member.isReady = true;
          resolve(true);
          if (this.#isStopping) send(worker, { type: 'stop' });
        }
      });
    });
  }

  async #release(worker: Worker, socket: SharedSocket): Promise<void> {
    await this.#options.release(socket);
    send(worker, { type: 'released', socket });
  }

  async #noteEnd(
    { worker, startTime, metrics, isReady }: Member,
    facts: { exit_code: number | null; signal: string | null },
  ): Promise<void> {
    const merged = mergeMetrics([this.#endedMetrics, lastingMetrics(metrics)]);
    this.#endedMetrics = await merged.collect();
    if (this.#isStopping) return;
    this.#options.log.error({ worker: worker.process.pid, ...facts }, 'a worker has ended');
    // Workers that end before the first one is ready end the start.
    if (this.#isStarted || isReady) this.#replacements.add(startTime);
  }

  async #collect() {
    const ready = [...this.#members].filter(({ isReady }) => isReady);
    const reports = await Promise.all(ready.map((member) => this.#ask(member)));
    const unresponsive = ready.filter((_, i) => reports[i] === undefined);
    return {
      reports: reports.filter((report) => report !== undefined),
      unresponsive: unresponsive.map(({ worker }) => worker.process.pid ?? 0),
    };
  }

  /** Requests a report. Waits longer for it if the worker sends a `pong`. */
  #ask(member: Member): Promise<Report | undefined> {
    const id = ++this.#lastReport;
    const askedAt = performance.now();
    return new Promise((resolve) => {
      const give = (report: Report | undefined) => {
        clearTimeout(timer);
        this.#reports.delete(id);
        resolve(report);
      };
      const checkAnswer = () => {
        if (member.answeredAt < askedAt) give(undefined);
        else timer = setTimeout(() => give(undefined), reportMs - answerMs);
      };
      // After a suspension, the primary first reads the messages that have arrived.
      let timer = setTimeout(() => setImmediate(checkAnswer), answerMs);
      this.#reports.set(id, give);
      send(member.worker, { type: 'ping' });
      send(member.worker, { type: 'report', id });
    });
  }

  #receive(member: Member, { id, report }: Extract<FromWorker, { type: 'report' }>): void {
    member.metrics = report.metrics;
    this.#reports.get(id)?.(report);
  }
}

/** A worker that has ended receives nothing. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
