import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asJson } from '../docs/layout.js';
import { buildContractRecord, type ContractRecord } from './contract-record.js';
import { contracts, RECORDS } from './contracts.js';
import { fetchSources, previousRelease } from './previous-sources.js';

/** Returns the records of the previous release's contracts by their names. */
export const keptContracts = (): ReadonlyMap<string, ContractRecord> =>
  new Map(
    readdirSync(RECORDS).map((file) => [
      file.replace(/\.json$/, ''),
      JSON.parse(readFileSync(new URL(file, RECORDS), 'utf8')) as ContractRecord,
    ]),
  );

/** Tells whether the records are those of the release that `previous.json` names. */
export const areOfPreviousRelease = (records: Iterable<Pick<ContractRecord, 'release'>>): boolean =>
  [...records].every(({ release }) => release === previousRelease().version);

/**
 * Makes the records of the previous release from its commit, once after each release: evaluated later, with other packages, the same
 * sources may have other schemas (the codes of a list).
 * @returns files with their texts; none if the records are of that release
 * @throws {ReleaseMissing} if this clone does not have its commit
 */
export async function contractsToKeep(): Promise<readonly (readonly [file: URL, text: string])[]> {
  if (areOfPreviousRelease(keptContracts().values())) return [];
  const release = previousRelease();
  const lambdas = pathToFileURL(join(fetchSources(release).folder, 'lambdas/'));
  return [...(await contracts(lambdas))].map(([name, contract]) => [
    new URL(`${name}.json`, RECORDS),
    asJson(buildContractRecord(contract, release.version)),
  ]);
}
