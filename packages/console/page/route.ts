import { computed, signal } from '@preact/signals';

/** Place in the page: `#/order/<id>` has the name `order` and the id. The first view has no name. */
export interface Route {
  readonly name: string;
  readonly id?: string;
}

/** Reads a place. @param hash of the address: `#/order/0af7...` */
export function parseRoute(hash: string): Route {
  const [name = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const id = rest.join('/');
  return { name, ...(id !== '' && { id: decode(id) }) };
}

/** Returns the link to a place. */
export const linkTo = (name: string, id?: string): string =>
  `#/${name}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

/** Goes to a place. */
export function goTo(name: string, id?: string): void {
  location.hash = linkTo(name, id);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const hash = signal(globalThis.location?.hash ?? '');
globalThis.addEventListener?.('hashchange', () => {
  hash.value = location.hash;
});

/** The place that is shown. */
export const route = computed(() => parseRoute(hash.value));
