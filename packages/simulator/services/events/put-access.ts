import { type AccountAndRegion, DEFAULT_ACCOUNT_AND_REGION } from '../../assembly/identity.js';
import type { Access } from '../iam/model.js';

/**
 * Returns the access that one event needs to be put on a bus: each is checked by its own source and type. User Guide, "Using IAM
 * policy conditions in Amazon EventBridge".
 */
export const putAccess = (
  event: {
    /** Name or ARN of the bus. */
    readonly bus: string;
    readonly source?: string | undefined;
    readonly detailType?: string | undefined;
    /** Whether a rule of another bus sends it. */
    readonly byRule?: boolean;
  },
  home: AccountAndRegion = DEFAULT_ACCOUNT_AND_REGION,
): Access => ({
  action: 'events:PutEvents',
  resource: event.bus.startsWith('arn:') ? event.bus : home.arn('events', `event-bus/${event.bus}`),
  context: {
    'events:eventBusInvocation': String(event.byRule ?? false),
    ...(event.source !== undefined && { 'events:source': event.source }),
    ...(event.detailType !== undefined && { 'events:detail-type': event.detailType }),
  },
});
