import { asyncApiOf } from './asyncapi.js';
import { orderlyBus } from './bus.js';
import { eventsPageOf } from './events-page.js';
import { orderlyApi } from './openapi/api.js';
import { clientOperationsOf, clientTypesOf } from './openapi/client-types.js';
import { httpFileOf, postmanOf } from './openapi/collections.js';
import { openApiOf } from './openapi/document.js';
import { referencePageOf } from './openapi/page.js';

/** File of the documentation that is generated as a whole. */
export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly make: () => Promise<string>;
}

async function clientTypes(): Promise<string> {
  const api = await orderlyApi();
  return clientTypesOf(api, openApiOf(api));
}

const asJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

export const files: readonly GeneratedFile[] = [
  { path: 'docs/openapi.json', make: async () => asJson(openApiOf(await orderlyApi())) },
  { path: 'docs/reference.html', make: async () => referencePageOf(openApiOf(await orderlyApi())) },
  { path: 'docs/orderly.http', make: async () => httpFileOf(await orderlyApi()) },
  { path: 'docs/orderly.postman.json', make: async () => asJson(postmanOf(await orderlyApi())) },
  { path: 'packages/client/operations.ts', make: async () => clientOperationsOf(await orderlyApi()) },
  { path: 'packages/client/schemas.ts', make: clientTypes },
  { path: 'docs/asyncapi.json', make: async () => asJson(asyncApiOf(await orderlyBus())) },
  { path: 'docs/events.md', make: async () => eventsPageOf(await orderlyBus()) },
];
