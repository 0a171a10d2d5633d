import { plural } from '@orderly/kit/operator';
import { inEuros, type Stage } from './stage.js';

/** Says what somebody was charged and got back, by everything that is known of them (`orderly person export`). */
export async function moneyOf(stage: Stage, who: string): Promise<string> {
  const { aggregates } = JSON.parse(await stage.orderly('person', 'export', who, '--json')) as Exported;
  const sumOf = (wanted: string): readonly [number, number] => {
    const events = aggregates.flatMap((one) => one.events.filter(({ type }) => type === wanted));
    return [events.length, events.reduce((sum, { data }) => sum + (data.amount?.amount ?? 0), 0)];
  };
  const [charges, charged] = sumOf('PaymentCharged');
  const [refunds, refunded] = sumOf('PaymentRefunded');
  const back = refunds > 0 ? `, and got back ${inEuros(refunded)}` : '';
  return `${who} was charged ${charges === 1 ? 'once' : plural(charges, 'time')}: ${inEuros(charged)}${back}`;
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
