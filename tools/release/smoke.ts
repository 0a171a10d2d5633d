import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { apiPrefixes } from '../../packages/kit/base/outputs.js';
import { LocalRunError } from '../local/errors.js';
import { playSmokeTest, SmokeTestFailed } from './smoke-test.js';
import { tokenSource } from './smoke-token.js';

const USAGE = `Places one free order at a deployed API, follows it, and cancels it.
  npm run smoke -- --outputs outputs.json --sku SMOKE-1     outputs of cdk deploy --outputs-file
  npm run smoke -- --url https://api.example.org/v1 --sku SMOKE-1
options: --currency EUR
token: SMOKE_TOKEN, or SMOKE_TOKEN_URL, SMOKE_CLIENT_ID and SMOKE_CLIENT_SECRET (SMOKE_AUDIENCE, SMOKE_SCOPE)`;

/** Runs `npm run smoke`. A wrong call exits with 2, and a deployment that does not work with 1. */
export async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (!asked) {
    console.error(USAGE);
    return 2;
  }
  try {
    await playSmokeTest({
      ...asked,
      token: tokenSource(process.env),
      key: `smoke-${randomBytes(8).toString('hex')}`,
      say: (line) => console.log(line),
    });
  } catch (error) {
    if (!(error instanceof SmokeTestFailed)) throw error;
    console.error(`Smoke test failed: ${error.message}`);
    return 1;
  }
  return 0;
}

function parse(args: readonly string[]) {
  try {
    const options = {
      url: { type: 'string' },
      outputs: { type: 'string' },
      sku: { type: 'string' },
      currency: { type: 'string', default: 'EUR' },
    } as const;
    const { url, outputs, sku, currency } = parseArgs({ args: [...args], options }).values;
    if (!sku || (url === undefined) === (outputs === undefined)) return undefined;
    return { baseUrl: url ?? readApiUrl(outputs ?? ''), sku, currency };
  } catch (error) {
    if (error instanceof LocalRunError) throw error;
    return undefined; // unknown option
  }
}

/**
 * Reads the address of the API from the outputs of a deployment.
 * @throws {LocalRunError} if there is not exactly one
 */
export function readApiUrl(file: string): string {
  const stacks = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const found = Object.values(stacks).flatMap((outputs) =>
    apiPrefixes(Object.keys(outputs)).map((prefix) => outputs[`${prefix}Url`] ?? ''),
  );
  const [url] = found;
  if (url === undefined || found.length > 1)
    throw new LocalRunError(`${file} has ${found.length} outputs ApiUrl: expected one, or name the address (--url).`);
  return url;
}
