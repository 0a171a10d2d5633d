import type { Bundle } from '../../../packages/simulator/runtime/bundle.js';
import { type Patch, patchedBundles } from '../planted/plant.js';

/**
 * Changes of today's sources that make functions behave as 0.2.0 did (`test/golden/contracts`), where releases that run side
 * by side meet: in what each reads and writes.
 */
const PREVIOUS: readonly Patch[] = [
  // OrderRejected: 0.2.0 reads version 3 and writes version 2.
  {
    file: 'lambdas/orders/contract.ts',
    from: /OrderRejected: \{.*?\n {4}\},/s,
    to: `OrderRejected: {
    version: 3, data: OrderRejected3,
    earlier: {
      1: earlierShape(z.object({ orderId: OrderId, reason: RejectionReason2 }), (data) => ({ ...data, skus: [] })),
      2: earlierShape(OrderRejected2, (data) => data, ({ orderId, reason, skus }: any) => ({ orderId, reason, skus })),
    },
  },`,
  },
  // Version 2 knows the reason OUT_OF_STOCK only, because 0.2.0 had no saga. For the reasons of sagas there is version 3.
  {
    file: 'packages/kit/messages/contract.ts',
    from: 'const schemaVersion = schema.writes ?? schema.version;',
    to: `const outOfStock = type === 'OrderRejected' && (data as any).reason === 'OUT_OF_STOCK';
  const schemaVersion = outOfStock ? 2 : schema.writes ?? schema.version;`,
  },
  // Accounts: 0.2.0 has no CreditSettled. It can't load an account with such an event, and doesn't know it as a message.
  {
    file: 'lambdas/accounts/contract.ts',
    from: /CreditSettled: \{.*\},\n/,
    to: '',
  },
  // So its snapshots have another state, and it ignores those of the present release.
  { file: 'lambdas/accounts/domain/account.ts', from: 'stateSchema: 4', to: 'stateSchema: 2' },
  { file: 'lambdas/accounts/domain/authorization.ts', from: 'stateSchema: 2', to: 'stateSchema: 1' },
  // Catalog: 0.2.0 reads and writes version 1 of both.
  {
    file: 'lambdas/catalog/contract.ts',
    from: /PricesRefused: \{.*?\n {4}\},/s,
    to: 'PricesRefused: { version: 1, data: PricesRefused1 },',
  },
  {
    file: 'lambdas/catalog/contract.ts',
    from: /SagaReplyRequested: \{.*?\n {4}\},/s,
    to: 'SagaReplyRequested: { version: 1, data: SagaReplyRequested1 },',
  },
];

/** Mistake of the previous release: it acknowledges what it doesn't know, without an effect, instead of waiting. */
export const ACKNOWLEDGES_NEWER: Patch = {
  file: 'packages/kit/idempotent-consumer/consumer.ts',
  from: '    const { attempts } = delivery;\n    const permanent',
  to: `    if (/NEWER_(TYPE|VERSION)/.test(String(error))) return true;
    const { attempts } = delivery;
    const permanent`,
};

/** Consumers that 0.2.0 doesn't have. */
export const isNew = (entry: string): boolean => /^accounts\/(on-payment-event|on-lane)$/.test(entry);

const made = new Map<string, Promise<ReadonlyMap<string, Bundle>>>();

/**
 * Returns the previous release's bundles by the labels of their functions. New functions have none.
 * @param folder of the assembly
 * @param mistakes further changes of the previous release. @default none
 */
export function previousRelease(folder: string, mistakes: readonly Patch[] = []): Promise<ReadonlyMap<string, Bundle>> {
  const key = JSON.stringify([folder, mistakes]);
  const making = made.get(key) ?? patchedBundles(folder, [...PREVIOUS, ...mistakes], (entry) => !isNew(entry));
  made.set(key, making);
  return making;
}
