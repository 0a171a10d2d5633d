import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type {
  Compared,
  HistoriesChoice,
  HistoriesOffer,
  OpenedHistory,
  OpenRequest,
  SearchLine,
} from '@orderly/console';
import type { HistoriesModule } from './app-histories.js';
import type { FromPlayer, Question } from './messages.js';

/** A question to the player that has no answer. */
export class PlayerFailed extends Error {
  override readonly name = 'PlayerFailed';

  /** @param isRefused whether the question was wrong; otherwise the app's module or its process failed */
  constructor(
    message: string,
    readonly isRefused: boolean,
  ) {
    super(message);
  }
}

/** Somebody who waits for an answer. */
interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onLine?: (line: SearchLine) => void;
}

/** Milliseconds without a question after which the process ends: it has the app's code in its memory. */
const IDLE_AFTER = 300_000;

/**
 * A process that plays the histories of an app, with a lower priority, so that a local cloud is not slowed. It begins with the first
 * question, and ends a while after the last one.
 */
export class PlayerProcess {
  private process: ChildProcess | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private searching: { readonly stop: AbortSignal; readonly ended: Promise<unknown> } | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly module: HistoriesModule) {}

  /** @throws {PlayerFailed} */
  offer(): Promise<HistoriesOffer> {
    return this.ask({ kind: 'offer' });
  }

  /** @throws {PlayerFailed} */
  open(request: OpenRequest): Promise<OpenedHistory> {
    return this.ask({ kind: 'open', ...request });
  }

  /** @throws {PlayerFailed} */
  compare(comparison: string): Promise<Compared> {
    return this.ask({ kind: 'compare', comparison });
  }

  /**
   * Plays the single faults of a scenario. There is one search at a time.
   * @param stop ends it after its present history
   * @throws {PlayerFailed}
   */
  async search(choice: HistoriesChoice, onLine: (line: SearchLine) => void, stop: AbortSignal): Promise<void> {
    while (this.searching) {
      if (!this.searching.stop.aborted)
        throw new PlayerFailed('Another page plays histories. Stop it there, or wait until it has ended.', true);
      await this.searching.ended.catch(() => undefined);
    }
    if (stop.aborted) return;
    const ended = this.ask<void>({ kind: 'search', ...choice }, onLine, stop);
    const own = { stop, ended };
    this.searching = own;
    await ended.finally(() => {
      if (this.searching === own) this.searching = undefined;
    });
  }

  /** Ends the process. Whoever waits for it gets an error. */
  stop(): void {
    const child = this.process;
    if (!child) return;
    this.end(child, 'it was stopped');
    child.kill();
  }

  private ask<Answer>(question: Question, onLine?: (line: SearchLine) => void, stop?: AbortSignal): Promise<Answer> {
    const number = ++this.asked;
    const child = this.begin();
    const send = (message: object): void => void (child.connected && child.send(message));
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.set(number, { resolve, reject, ...(onLine && { onLine }) });
      stop?.addEventListener('abort', () => send({ kind: 'stop', number }));
      send({ ...question, number });
    }).finally(() => this.waiting.delete(number)) as Promise<Answer>;
  }

  private begin(): ChildProcess {
    this.process ??= this.start();
    this.idle?.refresh();
    this.idle ??= setInterval(() => {
      if (this.waiting.size === 0) this.stop();
    }, IDLE_AFTER).unref();
    return this.process;
  }

  private start(): ChildProcess {
    const isSource = import.meta.url.endsWith('.ts');
    const file = fileURLToPath(new URL(isSource ? './player.ts' : './player.js', import.meta.url));
    const child = fork(file, [JSON.stringify(this.module)], {
      ...(isSource && { execArgv: ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] }),
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    lowerPriority(child);
    let said = '';
    child.stderr?.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-SAID);
    });
    child.on('message', (message: FromPlayer) => this.take(message));
    child.on('error', ({ message }) => this.end(child, message));
    child.on('exit', (code, signal) =>
      this.end(child, `it ended with ${signal ?? code}${said === '' ? '' : `: ${said}`}`),
    );
    return child;
  }

  private take(message: FromPlayer): void {
    const asker = this.waiting.get(message.number);
    if (message.kind === 'line') asker?.onLine?.(message.line);
    else if (message.kind === 'answer') asker?.resolve(message.answer);
    else asker?.reject(new PlayerFailed(message.message, message.isRefused));
  }

  private end(child: ChildProcess, why: string): void {
    if (this.process !== child) return;
    this.process = undefined;
    clearInterval(this.idle);
    this.idle = undefined;
    for (const { reject } of this.waiting.values())
      reject(new PlayerFailed(`The process that plays histories is gone: ${why}`, false));
  }
}

/** Characters of what the process has said last, for its failure. */
const SAID = 2_000;

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system has no priorities: the search is only faster than it should be.
  }
}
