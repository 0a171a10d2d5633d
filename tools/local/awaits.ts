import { findNextDue } from '@orderly/kit/testing';
import type { LocalCloudOptions, PageOptions } from '@orderly/simulator';
import { Env } from '../../packages/kit/aws/environment.js';

/**
 * Tells a simulated cloud when a scheduled rule finds work, so that time can be forwarded without the ticks that find none.
 * A sweeper has work when the earliest due record of its owner is due. Other rules tick in the last minutes of a forward only:
 * the delivery audit then continues from its watermarks (`auditSkipped`).
 */
export const dueRecords: NonNullable<LocalCloudOptions['nextWorkAt']> = (cloud) => {
  const sweepers = new Map(
    [...cloud.functions.values()]
      .filter(({ variables }) => Env.RESEND_SECONDS in variables)
      .map(({ label, variables }) => [constructScope(label), variables]),
  );
  return (rule) => {
    const { [Env.RECORDS]: records, [Env.CONSUMER]: owner } = sweepers.get(constructScope(rule)) ?? {};
    if (records === undefined) return undefined;
    return findNextDue(cloud.listItems(records).filter(({ duePk }) => String(duePk).startsWith(`${owner}#`)));
  };
};

/** Lists the timers, the stored messages and the windows of a simulated Orderly, by their owners: what a sweeper hands out when it is due. */
export const listTimers: NonNullable<PageOptions['timers']> = (cloud) => {
  const variables = [...cloud.functions.values()].map((fn) => fn.variables);
  const tables = new Set(variables.flatMap(({ [Env.RECORDS]: table }) => table ?? []));
  return [...tables].flatMap((table) =>
    cloud
      .listItems(table)
      .flatMap(({ duePk, executeAt }) =>
        duePk === undefined ? [] : [{ owner: String(duePk).split('#')[0] ?? '', at: Date.parse(String(executeAt)) }],
      ),
  );
};

/** Returns the scope of a construct. A sweeper and its rule are in the same one. */
const constructScope = (path: string): string => path.slice(0, path.lastIndexOf('/'));
