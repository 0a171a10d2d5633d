import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contractsToKeep } from '../release/kept-contracts.js';
import { BUILT } from './built.js';
import { built, committed, type GeneratedFile } from './files.js';
import { putRedoc, RedocMissing } from './openapi/redoc.js';
import { pictures, ROOT, withPicture } from './pictures.js';
import { approved, played, runIfChanged } from './slow-parts.js';

/**
 * Runs `npm run docs`: generates again what follows from the contracts, the routes, the packages' exports and what is stored.
 * It names the files whose text is another one now.
 */
export async function main(): Promise<number> {
  // The parts run functions, which log.
  Object.assign(process.env, { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' });
  for (const [file, text] of await contractsToKeep()) writeIfChanged(file, text);
  await runIfChanged(played, writeIfChanged);
  for (const picture of pictures) {
    const page = new URL(picture.page, ROOT);
    writeIfChanged(page, withPicture(readFileSync(page, 'utf8'), picture));
  }
  await make(committed);
  await make(built);
  try {
    putRedoc(fileURLToPath(new URL(BUILT, ROOT)));
  } catch (error) {
    if (!(error instanceof RedocMissing)) throw error;
    console.log(`${BUILT}reference.html stays empty without Redoc: ${error.message}`);
  }
  // Last, since a part may refuse what is there.
  for (const part of approved) await runIfChanged(part, writeIfChanged);
  return 0;
}

async function make(files: readonly GeneratedFile[]): Promise<void> {
  for (const { path, make } of files) writeIfChanged(new URL(path, ROOT), await make());
}

/** Writes a file and names it, unless it has this text. @returns whether it had another one */
function writeIfChanged(file: URL, text: string): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false;
  mkdirSync(dirname(fileURLToPath(file)), { recursive: true });
  writeFileSync(file, text);
  console.log(`written: ${file.href.slice(ROOT.href.length)}`);
  return true;
}
