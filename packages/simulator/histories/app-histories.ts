import { pathToFileURL } from 'node:url';
import type { Compared, Offered, OfferedGuard } from '@orderly/console';
import { type Deployment, loadDeployment } from '../cloud/cloud.js';
import type { Fault } from '../engine/faults.js';
import type { Scenario } from '../search/scenario.js';

/** A scenario whose histories the page plays. */
export interface PlayableScenario extends Offered {
  readonly scenario: Scenario;
}

/** Compares what consumers do with the same messages. */
export interface PlayableComparison extends Offered {
  readonly play: () => Promise<Compared>;
}

/**
 * What an app offers on the page's view of histories. A module exports it as `histories`; the module is loaded in a process of its own.
 * @example
 * export const histories: AppHistories = {
 *   scenarios: [{ id: 'tickets', label: 'Sell tickets', about: 'Two people want the last ticket.', scenario }],
 *   deploy: async () => loadDeployment('cdk.out'),
 * };
 */
export interface AppHistories {
  readonly scenarios: readonly PlayableScenario[];
  /** Guards that a switch removes. `deploy` gets the id. @default none */
  readonly guards?: readonly OfferedGuard[];
  /** @default none */
  readonly comparisons?: readonly PlayableComparison[];
  /** One sentence that says where the recorded proof is. @default none is named */
  readonly recorded?: string;
  /** Deploys the app. @param guard id of the guard that is removed. @default the cloud assembly that is named beside the module */
  readonly deploy?: (guard: string | undefined) => Promise<Deployment>;
  /** Returns the command that plays a history again. @default none is named */
  readonly replay?: (history: {
    readonly scenario: Scenario;
    readonly faults: readonly Fault[];
    readonly guard: string | undefined;
  }) => string;
}

/** A module of an app that offers histories. */
export interface HistoriesModule {
  /** Absolute path of the module. */
  readonly file: string;
  /** Folder of the cloud assembly, for a module without `deploy`. @default none */
  readonly folder?: string | undefined;
}

/**
 * Loads what a module offers.
 * @throws {Error} if it exports no `histories`, or neither `deploy` nor a folder says what is deployed
 */
export async function loadHistories({
  file,
  folder,
}: HistoriesModule): Promise<Required<Pick<AppHistories, 'deploy'>> & AppHistories> {
  const { histories } = (await import(pathToFileURL(file).href)) as { readonly histories?: AppHistories };
  if (!Array.isArray(histories?.scenarios))
    throw new Error(
      `${file} exports no histories: export const histories: AppHistories = { scenarios: [...] } was expected`,
    );
  if (histories.deploy) return { ...histories, deploy: histories.deploy };
  if (folder === undefined) throw new Error(`${file} has no deploy: the histories of which cloud assembly are played?`);
  return { ...histories, deploy: async () => loadDeployment(folder) };
}
