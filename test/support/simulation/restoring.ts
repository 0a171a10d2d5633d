import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { openContext } from '../../../packages/operator/cli/context.js';
import { clientConfig } from '../../../packages/operator/deployment/endpoint.js';
import { applyRestore, type RestoreApplyRequest } from '../../../packages/operator/restore/apply.js';
import { createApplyAccess } from '../../../packages/operator/restore/apply-access.js';
import type { LocalCloud } from '../../../packages/simulator/live/local-cloud.js';
import { ORDERLY } from '../../../tools/operator/command-line.js';
import { type Change, DeadlyEndpoint, type Fate } from './deadly-endpoint.js';

export type Request = Pick<RestoreApplyRequest, 'at'> & Partial<RestoreApplyRequest>;

/** A run that died before a change. */
export interface Dead {
  readonly change: Change;
  readonly endpoint: DeadlyEndpoint;
  readonly ended: Promise<unknown>;
}

/** Restores the catalogue of a local cloud by `restore apply`, whose waiting lets time pass there. */
export class Restoring {
  /** JSON that the command has printed. */
  readonly printed: unknown[] = [];
  /** Epoch that the stack names. @default the deployed one */
  stackEpoch: number | undefined;

  constructor(private readonly local: LocalCloud) {}

  /** Calls the command, at an endpoint before the cloud. */
  async apply(request: Request, url = this.local.url) {
    const { live } = this.local;
    const endpoint = {
      url,
      region: 'eu-west-1',
      get ahead() {
        return live.now - Date.now();
      },
    };
    const opened = await openContext({ ...ORDERLY, resolveEndpoint: async () => endpoint }, 'prod', () => undefined);
    const services = opened.services.map((one) =>
      one.name === 'catalog' && this.stackEpoch !== undefined ? { ...one, epoch: this.stackEpoch } : one,
    );
    const context = {
      ...opened,
      services,
      wait: (seconds: number) => live.forward(seconds * 1000),
      stopped: () => false,
    };
    const config = clientConfig(endpoint);
    const outcome = await applyRestore(
      context,
      { service: 'catalog', dryRun: false, cancel: false, deleteCopies: false, ...request },
      createApplyAccess(context, new LambdaClient(config), new CloudWatchClient(config)),
    );
    this.printed.push(outcome.json);
    return { ...outcome, result: outcome.json.restoreApply as { state: string; next: string[] } };
  }

  /**
   * Calls it again and again, and lets it die before and after each change that it didn't die at yet, until it ends by itself.
   * @param afterDeath returns whether the dead one is only asleep @default none is
   * @returns its result, and at which changes it died
   */
  async applyInSpiteOfDeaths(
    request: Request,
    afterDeath: (dead: Dead) => Promise<boolean> = () => Promise.resolve(false),
  ) {
    const deaths = new Map<string, number>();
    const chooseFate = ({ name }: Change): Fate => {
      const died = deaths.get(name) ?? 0;
      deaths.set(name, died + 1);
      return died === 0 ? 'dies before' : died === 1 ? 'dies after' : 'goes through';
    };
    for (;;) {
      const endpoint = await DeadlyEndpoint.open(this.local.url, chooseFate);
      const ended = this.apply(request, endpoint.url);
      // What a dead run still thinks when its connections are closed is nobody's business.
      ended.catch(() => undefined);
      const end = await Promise.race([ended, endpoint.died]);
      const sleeps = 'name' in end && (await afterDeath({ change: end, endpoint, ended }));
      if (!sleeps) endpoint.close();
      if (!('name' in end)) return { ...end, deaths: [...deaths.keys()] };
    }
  }
}
