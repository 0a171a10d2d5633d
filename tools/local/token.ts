import { parseArgs } from 'node:util';
import { makeToken, type TokenRequest } from './dev-issuer.js';
import { readClockOffset } from './endpoint.js';
import { readLocalRun } from './local-run.js';

const USAGE = `Prints a token of the dev issuer, good for 12 hours.
  npm run --silent token -- --customer carol
  npm run --silent token -- --operator
  npm run --silent token -- --shop carol      for webhooks of carol's orders`;

/** The customer of the examples. */
const ALICE: TokenRequest = { sub: 'alice', role: 'customer' };

/**
 * Prints a token and nothing else, so that it can be used in `$(...)`. Without arguments it is alice's, and stderr says so.
 * It is good for 12 hours by the clock of the local cloud, which may have been forwarded.
 * A wrong call exits with 2 and prints a correct example.
 */
export async function main(args: readonly string[]): Promise<number> {
  const request = args.length === 0 ? ALICE : parseRequest(args);
  if (!request) {
    console.error(USAGE);
    return 2;
  }
  const ahead = await readClockOffset(process.env.ORDERLY_ENDPOINT || readLocalRun()?.endpoint);
  const token = makeToken({ ...request, ahead });
  if (request === ALICE)
    console.error(
      "Token of the customer alice, good for 12 hours. Anybody else's: npm run token -- --customer carol, or -- --operator",
    );
  console.log(token);
  return 0;
}

function parseRequest(args: readonly string[]): TokenRequest | undefined {
  try {
    const options = { customer: { type: 'string' }, operator: { type: 'boolean' }, shop: { type: 'string' } } as const;
    const { customer, operator, shop } = parseArgs({ args: [...args], options }).values;
    if ([customer, operator, shop].filter(Boolean).length !== 1) return undefined;
    if (operator) return { sub: 'operator', role: 'operator' };
    return customer ? { sub: customer, role: 'customer' } : { sub: shop ?? '', role: 'shop' };
  } catch {
    return undefined; // unknown option
  }
}
