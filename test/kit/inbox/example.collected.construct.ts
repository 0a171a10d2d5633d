import { charged, packingBegan, placed, reserved } from './example.collecting.js';

// The example of the pattern's README, word for word from here on.

import { type EnvironmentProps, Service } from '@orderly/kit/constructs';
import type { Construct } from 'constructs';

/** Service `packing`: collects the events of an order, and packs it once. */
export function packingService(scope: Construct, props: EnvironmentProps): Service {
  const packing = new Service(scope, 'Packing', { ...props, name: 'packing' });
  const receives = [placed, charged, reserved];
  const parts = packing.addConsumer('Parts', {
    name: 'packing-parts',
    entry: 'packing/on-part',
    subscribesTo: receives,
    timers: true,
  });
  packing.grantEffect(parts, 'Packing');
  const lists = packing.addInbox('Lists', {
    name: 'packing-lists',
    entry: 'packing/write-list',
    subscribesTo: [packingBegan],
  });
  lists.grantItems(packing.table, ['UpdateItem'], 'PackingList#');
  return packing;
}
