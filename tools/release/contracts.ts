import { readdirSync } from 'node:fs';
import type { ServiceContract } from '../../packages/kit/messages/contract.js';

const SERVICES = new URL('../../lambdas/', import.meta.url);

/** Folder with the records of the previous release, one file per contract. */
export const RECORDS = new URL('../../test/golden/contracts/', import.meta.url);

/**
 * Contracts that the previous release does not have, so that nothing of it can be incompatible. Empty again once they
 * are kept.
 */
export const NEW_CONTRACTS: readonly string[] = ['webhooks', 'webhooks-delivery', 'webhooks-feed'];

/**
 * Loads every contract. Its name is the service and the prefix of `contract.ts` in the file's name: `orders`,
 * `orders-saga`.
 * @param services folder of the services. @default those of this release
 */
export async function contracts(services = SERVICES): Promise<ReadonlyMap<string, ServiceContract>> {
  const modules = readdirSync(services, { recursive: true, encoding: 'utf8' })
    .map((file) => /^([^/\\]+)[/\\](?:(.+)-)?contract\.ts$/.exec(file))
    .filter((file) => file !== null)
    .map(async ([file, ...names]) => {
      const exported: object = await import(new URL(file, services).href);
      const found = Object.values(exported).find(isContract);
      return found ? ([[names.filter(Boolean).join('-'), found]] as const) : [];
    });
  return new Map((await Promise.all(modules)).flat());
}

const isContract = (value: unknown): value is ServiceContract =>
  typeof value === 'object' && value !== null && 'service' in value && 'events' in value;
