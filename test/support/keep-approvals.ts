import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { APPROVED_API, publicApi } from '../../tools/release/public-api.js';

/** `npm run api:keep`: writes the public API of both packages as it is now. */
export async function main(): Promise<number> {
  mkdirSync(APPROVED_API, { recursive: true });
  for (const [name, text] of publicApi()) {
    const file = new URL(`${name}.txt`, APPROVED_API);
    const isSame = existsSync(file) && readFileSync(file, 'utf8') === text;
    if (!isSame) writeFileSync(file, text);
    console.log(`${isSame ? 'unchanged' : 'written'}: ${file.pathname}`);
  }
  return 0;
}
