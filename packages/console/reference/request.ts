import type { SendRequest } from '../server/reference-contract.js';
import type { Operation, Parameter } from './documents.js';

/** Values that a person has written into the form. */
export interface Filled {
  /** Values by `<in> <name>`. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  /** Id of a caller; empty for nobody. */
  readonly as: string;
}

/**
 * Returns what a form begins with. An idempotency key is there already: who sends the same form again sees that nothing is done twice.
 * @param newKey makes a key
 */
export function firstValues(parameters: readonly Parameter[], newKey: () => string): Readonly<Record<string, string>> {
  const keys = parameters.filter(({ name }) => name.toLowerCase() === 'idempotency-key');
  return Object.fromEntries(keys.map(({ in: place, name }) => [`${place} ${name}`, newKey()]));
}

/** Makes the request that a form asks for. @returns it, or what is missing */
export function toRequest(operation: Operation, { values, body, as }: Filled): SendRequest | string {
  const { route, parameters, hasBody } = operation;
  const filledIn = (place: string, name: string): string => (values[`${place} ${name}`] ?? '').trim();
  const missing = parameters.find(({ in: place, isRequired, name }) => isRequired && filledIn(place, name) === '');
  if (missing) return `${missing.name}: a value is missing.`;
  if (hasBody && body.trim() !== '') {
    try {
      JSON.parse(body);
    } catch (error) {
      return `The body is no JSON: ${(error as Error).message}`;
    }
  }
  const path = route.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => encodeURIComponent(filledIn('path', name)));
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { in: place, name } of parameters) {
    const value = filledIn(place, name);
    if (value === '') continue;
    if (place === 'query') query.append(name, value);
    if (place === 'header') headers[name] = value;
  }
  const asked = query.toString();
  return {
    api: route.api,
    method: route.method,
    path: asked === '' ? path : `${path}?${asked}`,
    headers: hasBody ? { 'content-type': 'application/json', ...headers } : headers,
    ...(hasBody && body.trim() !== '' && { body }),
    ...(as !== '' && { as }),
  };
}

/** Returns the id of the order, or else of the conversation, that an answer is about. */
export function idInAnswer(answer: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): string | undefined {
  const lower = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const [, correlation] = lower.find(([name]) => name === 'x-correlation-id') ?? [];
  try {
    const { orderId } = JSON.parse(answer.body) as { readonly orderId?: unknown };
    if (typeof orderId === 'string') return orderId;
  } catch {
    // An answer without a body, or with a text.
  }
  return correlation;
}
