import { readFileSync, writeFileSync } from 'node:fs';
import { files } from './files.js';
import { pictures, ROOT, withPicture } from './pictures.js';

/** Runs `npm run docs`: generates the pictures and the files of the documentation again. */
export async function main(): Promise<number> {
  for (const picture of pictures) {
    const page = new URL(picture.page, ROOT);
    writeFileSync(page, withPicture(readFileSync(page, 'utf8'), picture));
    console.log(`${picture.page}: ${picture.name}`);
  }
  for (const { path, make } of files) {
    writeFileSync(new URL(path, ROOT), await make());
    console.log(path);
  }
  return 0;
}
