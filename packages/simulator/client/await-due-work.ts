import type { Cloud } from '../cloud/cloud.js';

export interface DueWork {
  /**
   * Returns when the earliest of the items is due, milliseconds since 1970; `undefined` if none waits. `findNextDue` of
   * `@orderly/kit/testing` does it for an app on the kit.
   * @param items of the tables that the function of a schedule knows by its environment variables
   */
  readonly nextDue: (items: readonly Readonly<Record<string, unknown>>[]) => number | undefined;
  /** Time up to which due work is awaited, milliseconds since 1970. @default no end: work that makes later work is an error */
  readonly until?: number;
}

/**
 * Like `settle`, and waits besides for work that schedules do later: timers, stored messages, windows that close. Schedules tick when work is due,
 * and not at all otherwise, so a day has a few ticks in place of thousands. Afterwards they tick as before.
 * @throws {NeverSettles} names what is still awaited
 * @example
 * await awaitDueWork(cloud, { nextDue: findNextDue, until: cloud.world.now + 25 * 3_600_000 });
 */
export async function awaitDueWork(
  cloud: Cloud,
  { nextDue, until = Number.POSITIVE_INFINITY }: DueWork,
): Promise<void> {
  const { schedules } = cloud.events;
  const { nextWorkAt: before } = schedules;
  const tables = findTables(cloud);
  schedules.nextWorkAt = (rule) => {
    const due = nextDue((tables.get(rule) ?? []).flatMap((table) => cloud.listItems(table)));
    return due !== undefined && due <= until ? due : undefined;
  };
  schedules.replan();
  try {
    await cloud.world.settle();
  } finally {
    if (before) schedules.nextWorkAt = before;
    else schedules.resume();
  }
}

/** Finds the tables that the functions of each scheduled rule know. */
function findTables({ deployment: { assembly }, functions }: Cloud): ReadonlyMap<string, readonly string[]> {
  const tables = [...assembly.findByType('AWS::DynamoDB::GlobalTable'), ...assembly.findByType('AWS::DynamoDB::Table')];
  return new Map(
    assembly.findByType('AWS::Events::Rule').map(({ label, properties }) => {
      const targets = (properties.Targets ?? []) as readonly { readonly Arn?: unknown }[];
      const known = targets.flatMap(({ Arn }) => Object.values(functions.get(String(Arn))?.variables ?? {}));
      return [
        label,
        tables.filter(({ ref, arn }) => known.includes(ref) || known.includes(arn)).map((one) => one.label),
      ];
    }),
  );
}
