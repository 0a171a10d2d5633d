import { asyncApiOf } from './asyncapi.js';
import { BUILT } from './built.js';
import { orderlyBus } from './bus.js';
import { eventsPageOf } from './events-page.js';
import { asJson } from './layout.js';
import { orderlyApi } from './openapi/api.js';
import { clientOperationsOf, clientTypesOf } from './openapi/client-types.js';
import { httpFileOf, postmanOf } from './openapi/collections.js';
import { openApiOf } from './openapi/document.js';
import { referencePageOf } from './openapi/page.js';

/** File that is generated as a whole. */
export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly make: () => Promise<string>;
}

async function clientTypes(): Promise<string> {
  const api = await orderlyApi();
  return clientTypesOf(api, openApiOf(api));
}

/** Contracts, and what code or readers of the repository need: committed, and reviewed with the change that they follow from. */
export const committed: readonly GeneratedFile[] = [
  { path: 'docs/openapi.json', make: async () => asJson(openApiOf(await orderlyApi())) },
  { path: 'packages/client/operations.ts', make: async () => clientOperationsOf(await orderlyApi()) },
  { path: 'packages/client/schemas.ts', make: clientTypes },
  { path: 'docs/asyncapi.json', make: async () => asJson(asyncApiOf(await orderlyBus())) },
  { path: 'docs/events.md', make: async () => eventsPageOf(await orderlyBus()) },
];

/** Other forms of the API's document: for a browser, for editors that send requests, for Postman and its like. */
export const built: readonly GeneratedFile[] = [
  { path: `${BUILT}reference.html`, make: async () => referencePageOf(openApiOf(await orderlyApi())) },
  { path: `${BUILT}orderly.http`, make: async () => httpFileOf(await orderlyApi()) },
  { path: `${BUILT}orderly.postman.json`, make: async () => asJson(postmanOf(await orderlyApi())) },
];
