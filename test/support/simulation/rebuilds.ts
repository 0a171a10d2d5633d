import { command } from '../../../lambdas/operations/program.js';
import type { RebuildAnswer, RebuildRequest } from '../../../packages/kit/projection/contract.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import type { DeployedProjection } from '../../../packages/operator/projections/projections.js';
import { type RebuildOrder, rebuild } from '../../../packages/operator/projections/rebuild.js';
import type { InvocationResult } from '../../../packages/simulator/services/lambda/model.js';
import type { Orderly } from './orderly.js';

/** Small page size, so that faults, stops and writes happen between the pages of a scenario's few items. */
const PAGE_SIZE = 4;
/** Maximum number of commands for one rebuild. Each may end by faults or by Ctrl-C. */
const COMMANDS = 200;

/**
 * Operator who rebuilds projections with the command line's own code. Its requests to AWS go to the simulated function, and
 * it waits by the simulated clock.
 */
export class Rebuilds {
  constructor(private readonly orderly: Orderly) {}

  /**
   * Rebuilds while other work continues, and presses Ctrl-C now and then.
   * @returns the outcome of the last command
   */
  async through(name: string, action: 'rebuild' | 'check' = 'rebuild'): Promise<RebuildAnswer> {
    const { world } = this.orderly.cloud;
    const random = world.random.fork(`rebuild ${name}`);
    for (let command = 0; command < COMMANDS; command++) {
      world.note(`operator: projections rebuild ${name} ${action}`);
      const ended = await this.command(name, action, () => random.chance(0.1));
      if (ended?.rebuild?.phase === 'DONE') return ended;
    }
    throw new Error(`the rebuild of ${name} doesn't end`);
  }

  /** @returns `undefined` if the rebuild was refused or ended early; the next command finds its state */
  private async command(
    name: string,
    action: RebuildOrder['action'],
    stopped: () => boolean,
  ): Promise<RebuildAnswer | undefined> {
    const { world } = this.orderly.cloud;
    try {
      const wait = (seconds: number) => world.pass(seconds * 1_000);
      const { json } = await rebuild(this.deployed(name), { action }, { command, say: () => undefined, wait, stopped });
      return json.rebuild as RebuildAnswer;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      world.note(`operator: ${error.message}`);
      return undefined;
    }
  }

  private deployed(name: string): DeployedProjection {
    const { cloud, services } = this.orderly;
    const service = services.find(({ consumers }) => consumers.some((consumer) => consumer.name === name));
    const description = service?.consumers.find((consumer) => consumer.name === name);
    const fn = [...cloud.functions.values()].find(({ resource }) => resource.ref === description?.rebuild);
    if (!service || !fn) throw new Error(`there is no projection ${name}`);
    const ask = async (request: RebuildRequest): Promise<RebuildAnswer> => {
      let result: InvocationResult | undefined;
      fn.invoke(request.action === 'go-on' ? { ...request, pageSize: PAGE_SIZE } : request, (ended) => {
        result = ended;
      });
      await cloud.world.until(() => result !== undefined);
      if (result?.kind === 'returned') return result.value as RebuildAnswer;
      throw new OperatorError('refused', `the function ended otherwise: ${JSON.stringify(result)}`);
    };
    return { name, service: service.name, ask, commits: async () => 0 };
  }
}
