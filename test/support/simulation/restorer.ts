import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { command } from '../../../lambdas/operations/program.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { applyRestore } from '../../../packages/operator/restore/apply.js';
import { type ApplyAccess, createApplyAccess } from '../../../packages/operator/restore/apply-access.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { LambdaFunction } from '../../../packages/simulator/services/lambda/model.js';
import { createDocumentClient } from './operator.js';
import type { Orderly } from './orderly.js';

/** Calls that change something at AWS. */
const CHANGES = /^(PutCommand|UpdateCommand|DeleteCommand|TransactWrite|RestoreTable|DeleteTable)/;
/** Share of the changes at which the command dies, before or after it. */
const DEATHS = 0.1;
/** Most deaths of a restore: a call begins each step from its start, and a service may have forty functions. */
const MOST_DEATHS = 6;
/** Most calls of the command until a phase ends. */
const CALLS = 20;

/** End of a command that was killed. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** Deploys the functions of a service with the next epoch. @param service its name, with which its constructs' paths begin */
export function raiseEpoch({ functions }: Pick<Cloud, 'functions'>, service: string): void {
  for (const fn of functions.values()) {
    const epoch = fn.variables[Env.EPOCH];
    if (epoch !== undefined && fn.label.toLowerCase().startsWith(`${service}/`))
      fn.update({ variables: { ...fn.variables, [Env.EPOCH]: String(Number(epoch) + 1) } });
  }
}

/**
 * Operator who restores a service with the command line's own code, in process. The command is killed now and then, before and after what
 * it changes, and called again.
 */
export class Restorer {
  private readonly random;
  /** Calls of the command. */
  calls = 0;
  /** Calls that were killed. */
  deaths = 0;
  /** Items that all calls together have read from tables, by scans and by keys. */
  itemsRead = 0;
  /** Epochs that the stacks' outputs name. */
  private readonly epochs = new Map<string, number>();

  constructor(private readonly orderly: Orderly) {
    this.random = orderly.cloud.world.random.fork('restore');
  }

  /** Restores a service, deploys the next epoch in the middle, and waits until it is done. @param at ISO 8601, a whole second */
  async restore(service: string, at: string): Promise<void> {
    await this.until('deploy', service, at);
    raiseEpoch(this.orderly.cloud, service);
    this.epochs.set(service, (this.epochs.get(service) ?? 0) + 1);
    this.orderly.cloud.world.note(`operator deploys epoch ${this.epochs.get(service)} of ${service}`);
    await this.until('done', service, at);
  }

  private async until(state: 'deploy' | 'done', service: string, at: string): Promise<void> {
    for (let call = 0; call < CALLS; call++) {
      const found = await this.call(service, at);
      if (found === state) return;
      if (found !== undefined) throw new Error(`restore apply ends with '${found}', not '${state}'`);
    }
    throw new Error(`${CALLS} calls of restore apply don't end with '${state}'`);
  }

  /** @returns how it ended; `undefined` if it was killed */
  private async call(service: string, at: string): Promise<string | undefined> {
    const { cloud, services, stacks } = this.orderly;
    const { world } = cloud;
    let isDead = false;
    const random = this.random.fork(`call ${this.calls++}`);
    const dies = (): void => {
      if (!isDead && (this.deaths === MOST_DEATHS || !random.chance(DEATHS / 2))) return;
      if (!isDead) this.deaths++;
      isDead = true;
      world.note('operator: the command is killed');
      throw new Killed();
    };
    const changing = async <T>(change: () => Promise<T>): Promise<T> => {
      dies();
      const done = await change();
      dies();
      return done;
    };
    const documents = killingClient(
      createDocumentClient(cloud),
      changing,
      () => isDead,
      (items) => {
        this.itemsRead += items;
      },
    );
    const context = {
      documents,
      clock: { now: () => new Date(world.now).toISOString() },
      services: services.map((one) => ({ ...one, epoch: this.epochs.get(one.name) ?? 0 })),
      stacks,
      environment: 'simulated',
      command,
      actor: async () => 'olga',
      say: () => undefined,
      wait: (seconds: number) => world.pass(seconds * 1_000),
      stopped: () => false,
    } as never;
    try {
      const request = { service, at, dryRun: false, cancel: false, deleteCopies: false };
      const { json } = await applyRestore(context, request, this.access(documents, changing));
      const { state } = json.restoreApply as { readonly state: string };
      world.note(`operator: restore apply: ${state}`);
      return state;
    } catch (error) {
      if (isDead) return undefined;
      throw error instanceof OperatorError ? new Error(error.message, { cause: error }) : error;
    }
  }

  private access(
    documents: DynamoDBDocumentClient,
    changing: <T>(change: () => Promise<T>) => Promise<T>,
  ): ApplyAccess {
    const { cloud } = this.orderly;
    const { world, sources } = cloud;
    const fn = (name: string): LambdaFunction => {
      const found = [...cloud.functions.values()].find(({ resource }) => resource.ref === name);
      if (!found) throw new Error(`there is no function ${name}`);
      return found;
    };
    // What it asks of Lambda and CloudWatch is answered below.
    const atDynamoDb = createApplyAccess({ documents } as never, undefined as never, undefined as never);
    return {
      ...atDynamoDb,
      now: () => new Date(world.now).toISOString(),
      epoch: async (name) => {
        const epoch = fn(name).variables[Env.EPOCH];
        return epoch === undefined ? undefined : Number(epoch);
      },
      reserved: async (name) => fn(name).reserved,
      reserve: (name, limit) => changing(async () => void fn(name).reserve(limit)),
      listMappings: async (name) =>
        sources.flatMap((source, id) =>
          source.fn === fn(name) ? [{ id: String(id), state: source.enabled ? 'Enabled' : 'Disabled' }] : [],
        ),
      switchMapping: (id, enabled) =>
        changing(async () => {
          const source = sources[Number(id)];
          if (source) source.enabled = enabled;
          return true;
        }),
      timeout: async (name) => fn(name).timeout / 1_000,
      lastInvocation: async (name) => {
        const newest = Math.max(0, ...fn(name).invokedAt.keys());
        return newest === 0 ? undefined : new Date(newest).toISOString();
      },
    };
  }
}

/** Answer of a reading call: a scan or query, or a batch of keys. */
interface Read {
  readonly ScannedCount?: number;
  readonly Responses?: Readonly<Record<string, readonly unknown[]>>;
}

/** A client whose changes the command may not survive, and that answers a dead one nothing. */
function killingClient(
  client: DynamoDBDocumentClient,
  changing: <T>(change: () => Promise<T>) => Promise<T>,
  isDead: () => boolean,
  counted: (items: number) => void,
): DynamoDBDocumentClient {
  const send = async (request: { readonly constructor: { readonly name: string } }): Promise<unknown> => {
    if (isDead()) throw new Killed();
    const sent = () => client.send(request as never) as Promise<unknown>;
    if (CHANGES.test(request.constructor.name)) return changing(sent);
    const answer = (await sent()) as Read;
    counted(answer.ScannedCount ?? Object.values(answer.Responses ?? {}).flat().length);
    return answer;
  };
  return new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
}
