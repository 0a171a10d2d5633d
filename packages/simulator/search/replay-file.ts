import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrokenHistory, Finding } from './findings.js';

/** The options with which a search was started and that decide what is played. */
export interface StartedWith {
  readonly scenario?: string | undefined;
  readonly requests?: string | undefined;
  readonly outside?: string | undefined;
  readonly tolerant?: boolean | undefined;
  readonly 'without-stacks'?: string | undefined;
}

/** A finding as a file has it. */
export interface ReplayFile extends StartedWith, Pick<BrokenHistory, 'seed' | 'bySeed' | 'faults'> {
  readonly folder: string;
  /** Name of the scenario. */
  readonly name: string;
}

/** Writes a file for each finding. @param out folder of the files @returns the command that plays a finding again, by its number */
export function writeReplays(
  folder: string,
  given: StartedWith & { readonly out?: string | undefined },
  findings: readonly Finding[],
): (number: number) => string {
  const { out = '' } = given;
  const fileOf = (number: number): string => join(out, `${number}.json`);
  if (findings.length > 0) mkdirSync(out, { recursive: true });
  for (const [at, { shortest }] of findings.entries()) {
    const { scenario: name, seed, bySeed, faults } = shortest;
    const file: ReplayFile = { folder, ...optionsOf(given), name, seed, bySeed, faults };
    writeFileSync(fileOf(at + 1), `${JSON.stringify(file, null, 2)}\n`);
  }
  return (number) => `npx orderly-simulate --replay ${fileOf(number)}`;
}

export const readReplay = (file: string): ReplayFile => JSON.parse(readFileSync(file, 'utf8')) as ReplayFile;

/** Returns the options of a search whose finding is played again. @param given of the command line, where the file has none */
export const startedWith = (file: ReplayFile, given: StartedWith): StartedWith => ({
  ...optionsOf(given),
  // These take precedence.
  ...optionsOf(file),
  tolerant: file.tolerant || given.tolerant,
});

/** Returns the options that are set. */
const optionsOf = ({ scenario, requests, outside, tolerant, 'without-stacks': without }: StartedWith): StartedWith =>
  JSON.parse(JSON.stringify({ scenario, requests, outside, tolerant, 'without-stacks': without })) as StartedWith;
