import { suspicions } from './example.js';

// The example of the pattern's README, word for word from here on.

import { type EnvironmentProps, linearBackoff, Service, single } from '@orderly/kit/constructs';
import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Both functions, their queues, the sweeper and the alarms come with the inbox. */
export class OrdersStack extends Stack {
  constructor(scope: Construct, id: string, props: EnvironmentProps) {
    super(scope, id);
    const orders = new Service(this, 'Orders', { ...props, name: 'orders' });
    const review = orders.addInbox('Review', {
      name: 'fraud-review',
      entry: 'orders/review-orders',
      subscribesTo: [suspicions],
      mode: single(),
      backoff: linearBackoff({ base: Duration.seconds(2), cap: Duration.minutes(20) }),
      timeout: Duration.minutes(5),
    });
    review.grantItems(orders.table, ['PutItem'], 'Review#');
  }
}
