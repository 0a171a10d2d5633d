import { readFileSync, writeFileSync } from 'node:fs';
import { pictures, ROOT, withPicture } from './pictures.js';

/** npm run docs: makes the pictures anew that stand in the documentation. */
export async function main(): Promise<number> {
  for (const picture of pictures) {
    const page = new URL(picture.page, ROOT);
    writeFileSync(page, withPicture(readFileSync(page, 'utf8'), picture));
    console.log(`${picture.page}: ${picture.name}`);
  }
  return 0;
}
