import { pluralize } from '@orderly/operator';
import { inEuros, type Stage } from './stage.js';

/**
 * Says what somebody was charged and got back, by everything that is known of them (`orderly person export`). The export finds
 * their aggregates by an index, which shows a commit a moment later: it is asked again until it shows the charges.
 * @param least number of charges that have been made
 */
export const readMoney = (stage: Stage, who: string, least = 0): Promise<string> =>
  stage.until(`${least} charges in the export of ${who}`, () => moneyShown(stage, who, least));

async function moneyShown(stage: Stage, who: string, least: number): Promise<string | undefined> {
  const { aggregates } = JSON.parse(await stage.orderly('person', 'export', who, '--json')) as Exported;
  const sumOf = (wanted: string): readonly [number, number] => {
    const events = aggregates.flatMap((one) => one.events.filter(({ type }) => type === wanted));
    return [events.length, events.reduce((sum, { data }) => sum + (data.amount?.amount ?? 0), 0)];
  };
  const [charges, charged] = sumOf('PaymentCharged');
  if (charges < least) return undefined;
  const [refunds, refunded] = sumOf('PaymentRefunded');
  const back = refunds > 0 ? `, and got back ${inEuros(refunded)}` : '';
  return `${who} was charged ${charges === 1 ? 'once' : pluralize(charges, 'time')}: ${inEuros(charged)}${back}`;
}

/** The part of an export that is read here. */
interface Exported {
  readonly aggregates: readonly {
    readonly events: readonly {
      readonly type: string;
      readonly data: { readonly amount?: { readonly amount: number } };
    }[];
  }[];
}
