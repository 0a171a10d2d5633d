/** The part of a status that the page shows: the JSON of the command `status`. */
export interface Status {
  readonly state: 'healthy' | 'unhealthy';
  readonly at: string;
  readonly problems: readonly Problem[];
  readonly consumers: readonly Consumer[];
  readonly relays: readonly { readonly service: string; readonly lagSeconds?: number; readonly failed: number }[];
  readonly sweepers: readonly { readonly service: string; readonly consumer: string; readonly lastTick?: string }[];
  readonly failing: readonly Failing[];
  readonly deadLetters: {
    readonly queues: number;
    readonly filled: readonly { readonly queue: string; readonly messages: number }[];
  };
  readonly audit: { readonly auditedUntil?: string; readonly followed: number } | null;
  readonly alarms: {
    readonly total: number;
    readonly active: readonly {
      readonly name: string;
      readonly heading: string;
      readonly severity?: string;
      readonly since?: string;
    }[];
  } | null;
  readonly unread: readonly string[];
}

export interface Problem {
  readonly code: string;
  readonly text: string;
  readonly next: string;
  readonly page?: string;
}

export interface Consumer {
  readonly service: string;
  readonly consumer: string;
  readonly kind: 'consumer' | 'projection' | 'saga' | 'inbox';
  readonly pending: number;
  readonly inFlight: number;
  readonly oldestSeconds?: number;
  readonly failed: number;
  readonly parked?: number;
  readonly stuck?: number;
  readonly paused?: { readonly since: string; readonly by: string; readonly reason: string };
}

export interface Failing {
  readonly service: string;
  readonly entry: string;
  readonly name: string;
  readonly kind: string;
  readonly consumer?: string;
  readonly calls: number;
  readonly failed: number;
  readonly retried: number;
  readonly failingSince?: string;
  readonly inARow?: number;
  readonly lastError?: { readonly at: string; readonly name: string; readonly text?: string; readonly frame?: string };
  readonly oldestSeconds?: number;
  readonly givesUpInSeconds?: number;
}

/** Heading of each kind of consumer, in the order in which the page shows them. */
export const KINDS = {
  consumer: 'Consumers',
  inbox: 'Inboxes',
  saga: 'Sagas',
  projection: 'Projections',
} as const;
