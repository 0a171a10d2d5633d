import type { HistoriesChoice, HistoriesOffer, OpenRequest, SearchLine } from '@orderly/console';
import type { Deployment } from '../cloud/cloud.js';
import type { FaultKind } from '../engine/faults.js';
import { type AppHistories, loadHistories, type PlayableScenario } from './app-histories.js';
import { Jobs } from './jobs.js';
import type { Ask, FromPlayer, ToPlayer } from './messages.js';
import { openHistory, searchWall } from './play.js';

/** A question about something that is not offered. */
class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

/** Somebody has ended the search. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Plays histories of an app, in a process of its own: `player.ts <HistoriesModule as JSON>`. Its parent asks by messages. */
class Player {
  private readonly jobs = new Jobs();
  private readonly stopped = new Set<number>();
  /** Deployments by the guard that they lack; empty for the sound one. */
  private readonly deployments = new Map<string, Promise<Deployment>>();

  constructor(
    private readonly app: Promise<Awaited<ReturnType<typeof loadHistories>>>,
    private readonly send: (message: FromPlayer) => void,
  ) {}

  take(message: ToPlayer): void {
    if (message.kind === 'stop') this.stopped.add(message.number);
    else void this.jobs.add(() => this.handle(message));
  }

  private async handle(ask: Ask): Promise<void> {
    const { number } = ask;
    try {
      this.send({ kind: 'answer', number, ...(await this.answer(ask)) });
      // The first histories need it, and somebody who looks at the view wants some soon.
      if (ask.kind === 'offer') void this.jobs.add(() => this.prepare());
    } catch (error) {
      const { message } = error as Error;
      this.send({ kind: 'failed', number, message, isRefused: error instanceof NotOffered });
    }
  }

  private async answer(ask: Ask) {
    const app = await this.app;
    if (ask.kind === 'offer') return { answer: toOffer(app) };
    if (ask.kind === 'open') return { answer: await this.open(ask) };
    if (ask.kind === 'search') return this.search(ask).then(() => ({}));
    return { answer: await findOffered(app.comparisons, ask.comparison).play() };
  }

  private async open({ scenario: id, guard, cell }: OpenRequest) {
    const { scenario } = await this.choose({ scenario: id, ...(guard !== undefined && { guard }) });
    const faults = cell ? [{ point: cell.point, kind: cell.kind as FaultKind }] : [];
    const opened = await openHistory(await this.deployment(guard), scenario, faults);
    const { replay } = await this.app;
    const left = opened.faults.map(({ point, kind }) => ({ point, kind: kind as FaultKind }));
    return { ...opened, ...(replay && { replay: replay({ scenario, faults: left, guard }) }) };
  }

  private async search({ number, scenario: id, guard }: HistoriesChoice & { readonly number: number }): Promise<void> {
    const tell = (line: SearchLine): void => this.send({ kind: 'line', number, line });
    const { scenario } = await this.choose({ scenario: id, ...(guard !== undefined && { guard }) });
    tell({ kind: 'preparing' });
    const deployment = await this.deployment(guard);
    const goOn = async (): Promise<void> => {
      await this.jobs.runWaiting();
      if (this.stopped.delete(number)) throw new Stopped();
    };
    await goOn()
      .then(() =>
        searchWall(deployment, scenario, {
          onCells: (cells) => tell({ kind: 'cells', cells }),
          onCalmBroken: (broken) => tell({ kind: 'calm broken', broken }),
          onPlayed: (at, broken) => {
            tell({ kind: 'played', at, broken });
            return goOn();
          },
        }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
    tell({ kind: 'ended' });
  }

  private async choose({ scenario, guard }: HistoriesChoice): Promise<PlayableScenario> {
    const { scenarios, guards } = await this.app;
    if (guard !== undefined) findOffered(guards, guard);
    return findOffered(scenarios, scenario);
  }

  private async prepare(): Promise<void> {
    // Whoever asks for a history gets the failure.
    await this.deployment(undefined).catch(() => undefined);
  }

  private async deployment(guard: string | undefined): Promise<Deployment> {
    const { deploy } = await this.app;
    const made = this.deployments.get(guard ?? '') ?? deploy(guard);
    this.deployments.set(guard ?? '', made);
    made.catch(() => this.deployments.delete(guard ?? ''));
    return made;
  }
}

/** @throws {NotOffered} */
function findOffered<One extends { readonly id: string }>(offered: readonly One[] = [], id: string): One {
  const found = offered.find((one) => one.id === id);
  if (found) return found;
  throw new NotOffered(`'${id}' is not offered; there are ${offered.map((one) => one.id).join(', ') || 'none'}`);
}

function toOffer({ scenarios, guards = [], comparisons = [], recorded }: AppHistories): HistoriesOffer {
  const offered = ({ id, label, about }: HistoriesOffer['scenarios'][number]) => ({ id, label, about });
  return {
    scenarios: scenarios.map(offered),
    guards: guards.map(({ id, label, file, line, promise }) => ({ id, label, file, line, promise })),
    comparisons: comparisons.map(offered),
    ...(recorded !== undefined && { recorded }),
  };
}

const [module] = process.argv.slice(2);
if (module !== undefined && process.send) {
  // Its parent has ended, so nobody would hear of anything.
  process.on('disconnect', () => process.exit());
  const app = loadHistories(JSON.parse(module));
  app.catch(() => undefined); // each question is answered with it
  const player = new Player(app, (message) => void process.send?.(message));
  process.on('message', (message: ToPlayer) => player.take(message));
}
