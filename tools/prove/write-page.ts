import { writeFileSync } from 'node:fs';
import { generateProofPage, PAGE } from './page.js';
import { readPromises, readSuites } from './promises.js';
import { ROOT, readRecord } from './record.js';

/** Returns the page of proofs, as the committed record has it. */
export const makePage = (): string => generateProofPage(readRecord(), readPromises(), readSuites());

/** Writes the page of proofs. */
export function writePage(): void {
  writeFileSync(new URL(PAGE, ROOT), makePage());
  console.log(`written: docs/proof.json, ${PAGE}`);
}
