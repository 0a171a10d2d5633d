import type { OpenRequest } from '../server/histories-contract.js';

/** Id of a history in an address: `pay-once/provider-key/Payments/OnProvider call 3: killed-after`. Without a guard its part is empty. */
export function toHistoryId({ scenario, guard = '', cell }: OpenRequest): string {
  return [scenario, guard, cell ? `${cell.point}: ${cell.kind}` : ''].join('/');
}

/** The reverse of `toHistoryId`. @returns `undefined` for any other text */
export function parseHistoryId(id: string): OpenRequest | undefined {
  const [, scenario = '', guard = '', fault = ''] = /^([^/]+)\/([^/]*)\/(.*)$/.exec(id) ?? [];
  if (scenario === '') return undefined;
  const [, point, kind] = /^(.+): ([^:]+)$/.exec(fault) ?? [];
  if (fault !== '' && (point === undefined || kind === undefined)) return undefined;
  return {
    scenario,
    ...(guard !== '' && { guard }),
    ...(point !== undefined && kind !== undefined && { cell: { point, kind } }),
  };
}
