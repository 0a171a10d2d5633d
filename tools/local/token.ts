import { parseArgs } from 'node:util';
import { makeToken, type TokenRequest } from './dev-issuer.js';

const USAGE = `Prints a token of the dev issuer, good for 12 hours.
  npm run --silent token -- --customer carol
  npm run --silent token -- --operator`;

/**
 * Prints a token and nothing else, so that it can be used in `$(...)`. A wrong call exits with 2 and prints a correct
 * example.
 */
export async function main(args: readonly string[]): Promise<number> {
  const request = requestOf(args);
  if (!request) {
    console.error(USAGE);
    return 2;
  }
  console.log(makeToken(request));
  return 0;
}

function requestOf(args: readonly string[]): TokenRequest | undefined {
  try {
    const options = { customer: { type: 'string' }, operator: { type: 'boolean' } } as const;
    const { customer, operator } = parseArgs({ args: [...args], options }).values;
    if (operator) return customer === undefined ? { sub: 'operator', role: 'operator' } : undefined;
    return customer ? { sub: customer, role: 'customer' } : undefined;
  } catch {
    return undefined; // unknown option
  }
}
