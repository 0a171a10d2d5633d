import { readFileSync, writeFileSync } from 'node:fs';
import { pictures, ROOT, withPicture } from './pictures.js';

/** Runs `npm run docs`: generates the pictures in the documentation again. */
export async function main(): Promise<number> {
  for (const picture of pictures) {
    const page = new URL(picture.page, ROOT);
    writeFileSync(page, withPicture(readFileSync(page, 'utf8'), picture));
    console.log(`${picture.page}: ${picture.name}`);
  }
  return 0;
}
