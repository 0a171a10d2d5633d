import type { PlantedBug } from './bug.js';
import { ACCOUNTS } from './bugs/accounts.js';
import { AWS } from './bugs/aws.js';
import { BASKETS } from './bugs/baskets.js';
import { CATALOG } from './bugs/catalog.js';
import { DRAINS } from './bugs/drains.js';
import { EVENT_STORE } from './bugs/event-store.js';
import { FAILURES } from './bugs/failures.js';
import { HTTP } from './bugs/http.js';
import { IDEMPOTENT_CONSUMER } from './bugs/idempotent-consumer.js';
import { IDEMPOTENT_RECEIVER } from './bugs/idempotent-receiver.js';
import { INBOX } from './bugs/inbox.js';
import { INVENTORY } from './bugs/inventory.js';
import { LANE } from './bugs/lane.js';
import { MESSAGES } from './bugs/messages.js';
import { OPERATOR } from './bugs/operator.js';
import { ORDERS, ORDERS_FOUND } from './bugs/orders.js';
import { OUTBOX } from './bugs/outbox.js';
import { PAYMENTS } from './bugs/payments.js';
import { PERSONAL_DATA } from './bugs/personal-data.js';
import { PROJECTION } from './bugs/projection.js';
import { REPORTS } from './bugs/reports.js';
import { REWARDS } from './bugs/rewards.js';
import { SAGA } from './bugs/saga.js';
import { TEMPLATES } from './bugs/templates.js';
import { TIMERS } from './bugs/timers.js';
import { USERS } from './bugs/users.js';

/** Every planted bug: one file for each service and each pattern. */
export const BUGS: readonly PlantedBug[] = [
  ...ACCOUNTS,
  ...AWS,
  ...BASKETS,
  ...CATALOG,
  ...DRAINS,
  ...EVENT_STORE,
  ...FAILURES,
  ...HTTP,
  ...IDEMPOTENT_CONSUMER,
  ...IDEMPOTENT_RECEIVER,
  ...INBOX,
  ...INVENTORY,
  ...LANE,
  ...MESSAGES,
  ...OPERATOR,
  ...ORDERS,
  ...OUTBOX,
  ...PAYMENTS,
  ...PERSONAL_DATA,
  ...PROJECTION,
  ...REPORTS,
  ...REWARDS,
  ...SAGA,
  ...TEMPLATES,
  ...TIMERS,
  ...USERS,
  ...ORDERS_FOUND,
];
