import type { Assembly } from '../assembly/assembly.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { Bundle } from '../runtime/bundle.js';
import type { Environment } from '../runtime/environment.js';
import { EnvironmentPool } from '../runtime/recycled.js';
import { describeSet, listMixedSets, type MixedSet, mixAssembly, type Releases } from './mixed-sets.js';
import { type MessageUnderWay, succeed } from './succession.js';

/** A fault that a deployment must not cause to a piece of work, such as an order or a ticket. */
export type WorkTroubleKind = 'lost' | 'twice' | 'stuck';

/** A piece of work that did not end as it should. */
export interface WorkTrouble {
  readonly kind: WorkTroubleKind;
  /** Its name: an order's id. */
  readonly work: string;
  readonly detail: string;
}

/** Work that goes through an app while it is deployed. */
export interface Journey {
  /** Makes what every piece of work needs, with the earlier release. */
  prepare(cloud: Cloud): Promise<void>;
  /**
   * Begins a piece of work, and ends when the app has accepted it.
   * @param number of the piece. Called again with the same number, it sends the same request as a client that got no answer
   * @returns its name, which messages about it contain
   */
  begin(cloud: Cloud, number: number): Promise<string>;
  /**
   * Looks at work that was accepted, when nothing is on its way any more.
   * @param works names of what is looked at: in each set what has begun since the set before it, and in the last set all of it
   */
  check(cloud: Cloud, works: readonly string[]): Promise<readonly WorkTrouble[]>;
}

/** A trouble, and where it came from. */
export interface MixedSetTrouble extends WorkTrouble {
  /** The set in which it was found: `Platform is new, Orders, Api are old`. */
  readonly set: string;
  /** Messages about the work that are left somewhere, or were lost with their queue. */
  readonly messages: readonly MessageUnderWay[];
}

/** Summary of the sets that were played, with the troubles that were found. */
export interface MixedSetReport {
  readonly sets: number;
  /** Pieces of work that were accepted. */
  readonly works: number;
  /** Number of messages that were on their way when the next stack was deployed, by the set that it made. */
  readonly underWay: readonly number[];
  readonly troubles: readonly MixedSetTrouble[];
}

/** Milliseconds from the answer to one piece of work to the next one, before a stack is deployed: they are at different places then. */
const APART = [400, 200, 80, 20, 1] as const;

/** A schedule ticks this seldom, so that hours take few events. */
const TICKS_APART = 3_600_000;
/** Time in which work may still end after everything has come to rest: timers and the audit of deliveries bring it on. */
const PATIENCE = 6 * TICKS_APART;

/**
 * Deploys one release over another, stack by stack, as `cdk deploy --all` does, with work on its way at each step. Old stacks have the
 * earlier release's templates and code, and new ones the later release's. In each set one piece of work runs from its beginning to its
 * end, and others are interrupted by the next stack. There is no other fault: what goes wrong is the deployment's.
 * @param say gets a line for each set
 */
export async function playMixedSets(
  releases: Releases,
  journey: Journey,
  say: (line: string) => void = () => undefined,
): Promise<MixedSetReport> {
  const sets = listMixedSets(releases);
  const code = new SharedCode();
  const troubles = new Map<string, MixedSetTrouble>();
  const works = new Map<number, string>();
  const underWay: number[] = [];
  const options = { seed: 'mixed sets', keySeed: 'mixed sets', keepTrace: false, recycle: true };
  const [first = { fresh: [], old: [] }] = sets;
  let cloud = new Cloud(code.deploy(mixAssembly(releases, first)), options);
  let homeless: readonly MessageUnderWay[] = [];
  let begun = 0;
  let checked = 0;
  const accept = async (number: number, set: MixedSet): Promise<string | undefined> => {
    try {
      return await journey.begin(cloud, number);
    } catch (error) {
      note({ kind: 'lost', work: `piece ${number}`, detail: `it is not accepted: ${(error as Error).message}` }, set);
      return undefined;
    }
  };
  const begin = async (set: MixedSet): Promise<void> => {
    const number = begun++;
    const work = await accept(number, set);
    if (work !== undefined) works.set(number, work);
  };
  cloud.events.schedules.spacing = TICKS_APART;
  await journey.prepare(cloud);
  for (const [at, set] of sets.entries()) {
    if (at > 0) {
      const interrupted: number[] = [];
      for (const pause of APART) {
        interrupted.push(begun);
        await begin(sets[at - 1] as MixedSet);
        await cloud.world.pass(pause);
      }
      const next = succeed(cloud, code.deploy(mixAssembly(releases, set)), options, at);
      cloud = next.cloud;
      cloud.events.schedules.spacing = TICKS_APART;
      homeless = [...homeless, ...next.homeless];
      underWay.push(next.underWay.length);
      // Some clients lost their answers and ask again, and another function may answer them. The others would notice a lost message.
      for (const number of interrupted.filter((_, place) => place % 3 === 0)) {
        const [work, again] = [works.get(number), await accept(number, set)];
        if (work !== undefined && again !== undefined && again !== work)
          note({ kind: 'twice', work, detail: `the same request made ${again} as well` }, set);
      }
    }
    await begin(set);
    await cloud.world.settle();
    const looked = at === sets.length - 1 ? [...works.values()] : [...works.values()].slice(checked);
    checked = works.size;
    let found = await journey.check(cloud, looked);
    if (found.length > 0) {
      // A timer may still end it.
      await cloud.world.pass(PATIENCE);
      await cloud.world.settle();
      found = await journey.check(cloud, looked);
    }
    const left = [...messagesIn(cloud), ...homeless];
    for (const trouble of found) note(trouble, set, left);
    say(`${describeSet(set)}: ${at > 0 ? `${underWay.at(-1)} messages were on their way` : 'the beginning'}`);
  }
  cloud.end();
  return { sets: sets.length, works: works.size, underWay, troubles: [...troubles.values()] };

  /** Keeps the first trouble of a piece of work: later ones follow from it. */
  function note(trouble: WorkTrouble, set: MixedSet, left: readonly MessageUnderWay[] = []): void {
    if (troubles.has(trouble.work)) return;
    const messages = left.filter(({ text }) => text.includes(trouble.work));
    troubles.set(trouble.work, { ...trouble, set: describeSet(set), messages });
  }
}

/** Code of all sets: what V8 has compiled of it, and environments that were started with it. A deployment replaces those of its stack only. */
class SharedCode {
  private readonly bundles = new Map<string, Bundle>();
  private readonly pool = new EnvironmentPool();

  deploy(assembly: Assembly): Deployment {
    const share = (source: string, label: string): Bundle => {
      const bundle = this.bundles.get(source) ?? new Bundle(label, source);
      this.bundles.set(source, bundle);
      return bundle;
    };
    return new Deployment(assembly, share, new PoolOfSet(this.pool, assembly));
  }
}

/** The environments that fit the functions of one set: those with the same code and the same variables. */
class PoolOfSet extends EnvironmentPool {
  private readonly keys: ReadonlyMap<string, string>;

  constructor(
    private readonly pool: EnvironmentPool,
    assembly: Assembly,
  ) {
    super();
    this.keys = new Map(
      assembly.findByType('AWS::Lambda::Function').map(({ label, properties: { Code, Environment = {} } }) => {
        const name = label.replace(/\/Function$/, '');
        return [name, `${name} ${JSON.stringify([Code, Environment])}`];
      }),
    );
  }

  override take(name: string): Environment | undefined {
    return this.pool.take(this.keys.get(name) ?? name);
  }

  override give(name: string, environment: Environment): boolean {
    return this.pool.give(this.keys.get(name) ?? name, environment);
  }
}

const messagesIn = ({ queues }: Cloud): readonly MessageUnderWay[] =>
  [...queues.values()].flatMap((queue) => queue.listMessages().map(({ body }) => ({ where: queue.label, text: body })));
