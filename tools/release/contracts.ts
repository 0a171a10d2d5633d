import { readdirSync } from 'node:fs';
import type { ServiceContract } from '../../lambdas/patterns/contract.js';

const SERVICES = new URL('../../lambdas/services/', import.meta.url);

/** Where the records of the previous release are kept, one file a service. */
export const RECORDS = new URL('../../test/golden/contracts/', import.meta.url);

/** Services that the previous release hadn't: nobody of it to get on with. Empty again once their contracts are kept. */
export const NEW_SERVICES: readonly string[] = ['accounts', 'payments', 'catalog'];

/** The contract of each service that has one, as its `contract.ts` exports it. */
export async function contracts(): Promise<readonly ServiceContract[]> {
  const modules = readdirSync(SERVICES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/\\]+[/\\]contract\.ts$/.test(file))
    .map(async (file) => Object.values((await import(new URL(file, SERVICES).href)) as object).find(isContract));
  return (await Promise.all(modules)).filter((contract) => contract !== undefined);
}

const isContract = (value: unknown): value is ServiceContract =>
  typeof value === 'object' && value !== null && 'service' in value && 'events' in value;
