import { RESOURCE_KINDS, type ResourceKind } from '../server/data-contract.js';

/** Place in the resource browser, as its address names it. */
export interface DataPlace {
  /** Absent for the list of all resources. */
  readonly kind?: ResourceKind;
  readonly name: string;
  /** Text that is searched for. */
  readonly text: string;
}

/** Reads `<kind>/<name>/<text>`. A text may have slashes, names have none. */
export function parsePlace(id: string): DataPlace {
  const [first, name = '', ...rest] = id.split('/');
  const kind = RESOURCE_KINDS.find((one) => one === first);
  return { name, text: rest.join('/'), ...(kind && { kind }) };
}

/** Writes a place, for an address. */
export const placeOf = (kind: ResourceKind, name: string, text = ''): string =>
  `${kind}/${name}${text === '' ? '' : `/${text}`}`;
