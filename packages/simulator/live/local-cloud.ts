import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Control } from './control.js';
import { formatInvocation } from './invocation-line.js';
import { LiveCloud, type LiveOptions } from './live-cloud.js';
import type { PageOptions } from './local-page.js';
import { LiveServer } from './server.js';
import { parseState, type SavedState, StateRefused } from './state.js';

export interface LocalCloudOptions
  extends Pick<
    LiveOptions,
    | 'folder'
    | 'deployment'
    | 'nextWorkAt'
    | 'threads'
    | 'historyLimit'
    | 'onClockSet'
    | 'codeCache'
    | 'smallHeaps'
    | 'outside'
    | 'outsideModels'
    | 'tolerant'
    | 'withoutStacks'
  > {
  /** Port of 127.0.0.1. @default 4566, or else the next free one */
  readonly port?: number | undefined;
  /** Names by which clients call this machine, beside `localhost` and its subdomains. @default none: a request with another `Host` is refused */
  readonly hosts?: readonly string[] | undefined;
  /** Folder whose files are served below `/_docs/`, for a browser. @default none */
  readonly docs?: string | undefined;
  /** Facts of the app for the page at `/`. @default what the local cloud knows by itself */
  readonly page?: PageOptions | undefined;
  /** File from which it takes what an earlier one remembered, and to which it writes that at its end. @default it forgets */
  readonly keep?: string | undefined;
  /** Tells each invocation in a line: function, duration, outcome, what it logged. @default false */
  readonly logInvocations?: boolean | undefined;
  /** Called with what a person at the terminal should know, line by line. */
  readonly log: (line: string) => void;
}

/** A local cloud: the deployment of a cloud assembly that lives by the real clock, behind a port of 127.0.0.1. */
export class LocalCloud {
  private constructor(
    readonly live: LiveCloud,
    private readonly server: LiveServer,
    private readonly keep: string | undefined,
  ) {}

  /** Address without a trailing slash. */
  get url(): string {
    return this.server.url;
  }

  /** Address of its page, with the token that the page needs. */
  get pageUrl(): string {
    return this.server.pageUrl;
  }

  /**
   * Starts it.
   * @throws {StateRefused} if the kept state doesn't fit; the file stays as it is
   * @throws {PortInUse} if the port that was asked for is in use
   */
  static async start(given: LocalCloudOptions): Promise<LocalCloud> {
    const { port, hosts, docs, page, keep, logInvocations = false, log, ...options } = given;
    const state = keep === undefined ? undefined : readState(keep);
    const live = new LiveCloud({
      ...options,
      log,
      ...(state && { state }),
      ...(logInvocations && { onInvocationEnd: (invocation) => log(formatInvocation(invocation)) }),
    });
    try {
      const server = await LiveServer.listen({
        live,
        control: new Control(live),
        hosts,
        docs,
        page,
        ...(port !== undefined && { port }),
      });
      return new LocalCloud(live, server, keep);
    } catch (error) {
      await live.stop();
      throw error;
    }
  }

  /**
   * Writes its state, if it keeps one, and ends.
   * @param force called if the process still runs two seconds later: it must end the process. It is never called before the
   *   state is written. @default nothing is forced
   */
  async stop({ force }: { readonly force?: () => void } = {}): Promise<void> {
    let isKept = this.keep === undefined;
    const forces = (): void => {
      if (isKept) force?.();
    };
    if (force) setInterval(forces, ENDS_WITHIN).unref();
    try {
      await this.server.stop();
      if (this.keep !== undefined) writeState(this.keep, this.live.save());
    } finally {
      isKept = true;
      await this.live.stop();
    }
  }
}

/** Milliseconds after Ctrl-C within which a process has ended. */
const ENDS_WITHIN = 2_000;

function readState(file: string): SavedState | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return parseState(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof StateRefused)) throw error;
    throw new StateRefused(`${file} can't be taken: ${error.message}. Remove the file to begin with an empty state.`, {
      cause: error,
    });
  }
}

/** Writes in one step: a process that ends in the middle leaves the earlier state. */
function writeState(file: string, state: SavedState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
