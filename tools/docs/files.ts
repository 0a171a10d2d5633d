import { PAGE as PROOF } from '../prove/page.js';
import { makePage } from '../prove/write-page.js';
import { generateAsyncApi } from './asyncapi.js';
import { BUILT } from './built.js';
import { orderlyBus } from './bus.js';
import { generateEventsPage } from './events-page.js';
import { asJson } from './layout.js';
import { orderlyApi } from './openapi/api.js';
import { generateClientOperations, generateClientTypes } from './openapi/client-types.js';
import { generateHttpFile, generatePostmanCollection } from './openapi/collections.js';
import { generateOpenApi } from './openapi/document.js';
import { generateReferencePage } from './openapi/page.js';
import { generateProblemsPage } from './openapi/problems-page.js';

/** File that is generated as a whole. */
export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly make: () => Promise<string>;
}

async function clientTypes(): Promise<string> {
  const api = await orderlyApi();
  return generateClientTypes(api, generateOpenApi(api));
}

/** Contracts, and what code or readers of the repository need: committed, and reviewed with the change that they follow from. */
export const committed: readonly GeneratedFile[] = [
  { path: 'docs/openapi.json', make: async () => asJson(generateOpenApi(await orderlyApi())) },
  { path: 'packages/client/operations.ts', make: async () => generateClientOperations(await orderlyApi()) },
  { path: 'packages/client/schemas.ts', make: clientTypes },
  { path: 'docs/problems.md', make: async () => generateProblemsPage(await orderlyApi()) },
  { path: 'docs/asyncapi.json', make: async () => asJson(generateAsyncApi(await orderlyBus())) },
  { path: 'docs/events.md', make: async () => generateEventsPage(await orderlyBus()) },
  { path: PROOF, make: async () => makePage() },
];

/** Other forms of the API's document: for a browser, for editors that send requests, for Postman and its like. */
export const built: readonly GeneratedFile[] = [
  { path: `${BUILT}reference.html`, make: async () => generateReferencePage(generateOpenApi(await orderlyApi())) },
  { path: `${BUILT}orderly.http`, make: async () => generateHttpFile(await orderlyApi()) },
  { path: `${BUILT}orderly.postman.json`, make: async () => asJson(generatePostmanCollection(await orderlyApi())) },
];
