import { readFileSync, writeFileSync } from 'node:fs';
import { orderlyApi } from '../docs/openapi/api.js';
import { openApiOf } from '../docs/openapi/document.js';
import { recordOf } from './contract-record.js';
import { contracts, RECORDS } from './contracts.js';
import { KEPT_DOCUMENT, withoutWords } from './openapi-changes.js';

/**
 * Runs `npm run contracts:keep`, as the last part of a release. From then on, contracts and the API's document are compared with this release.
 */
export async function main(): Promise<number> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  for (const [name, contract] of await contracts()) {
    const text = `${JSON.stringify(recordOf(contract, version), undefined, 2)}\n`;
    writeFileSync(new URL(`${name}.json`, RECORDS), text);
    console.log(`${name}: kept as of ${version}`);
  }
  writeFileSync(KEPT_DOCUMENT, `${JSON.stringify(withoutWords(openApiOf(await orderlyApi())), undefined, 2)}\n`);
  console.log(`openapi: kept as of ${version}`);
  return 0;
}
