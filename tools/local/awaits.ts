import { findNextDue } from '@orderly/kit/testing';
import type { LocalCloudOptions } from '@orderly/simulator';
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

/** Returns the scope of a construct. A sweeper and its rule are in the same one. */
const constructScope = (path: string): string => path.slice(0, path.lastIndexOf('/'));
