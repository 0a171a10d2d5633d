import { asyncApiOf } from './asyncapi.js';
import { orderlyBus } from './bus.js';
import { eventsPageOf } from './events-page.js';

/** File of the documentation that is generated as a whole. */
export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly make: () => Promise<string>;
}

export const files: readonly GeneratedFile[] = [
  {
    path: 'docs/asyncapi.json',
    make: async () => `${JSON.stringify(asyncApiOf(await orderlyBus()), undefined, 2)}\n`,
  },
  { path: 'docs/events.md', make: async () => eventsPageOf(await orderlyBus()) },
];
