import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { LocalRunError } from '../local/errors.js';
import { checkWorkflows } from './actionlint/check-workflows.js';
import { type Check, isFailed } from './check.js';
import { integrityFaults, type LockedPackages, licenceFaults } from './packages.js';
import { checkTemplates } from './template-checks/check-templates.js';

const ROOT = new URL('../../', import.meta.url);
const SBOM = '.build/sbom.cdx.json';

/** Output of `npm audit --json`: a report, or the reason why the registry gave none. */
export interface AuditAnswer {
  readonly auditReportVersion?: number;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
  readonly statusCode?: number;
  readonly message?: string;
}

/**
 * Runs `npm run supply-chain`: checks the licences and hashes of all packages, writes their SBOM (CycloneDX), runs `npm audit`,
 * and lets checkers of others judge the templates (cfn-lint, checkov) and the workflows (actionlint). It takes minutes, and the
 * checkers need registries, so it is no part of `npm test`.
 */
export async function main(): Promise<number> {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')) as {
    packages: LockedPackages;
  };
  const faults = [...licenceFaults(packages), ...integrityFaults(packages)];
  const count = Object.keys(packages).length - 1;
  console.log(
    faults.length > 0 ? `Licences and hashes: refused.` : `Licences and hashes of ${count} packages: allowed.`,
  );
  for (const fault of faults) console.log(`  ${fault}`);
  console.log(`SBOM (CycloneDX) of ${await writeSbom()} components: ${SBOM}`);
  const checks: readonly (() => Promise<Check>)[] = [
    async () => auditVerdict(JSON.parse(await npm('audit', '--json')) as AuditAnswer),
    checkWorkflows,
    checkTemplates,
  ];
  let failed = faults.length > 0;
  for (const check of checks) {
    const done = await check();
    console.log(done.text);
    if (isFailed(done, Boolean(process.env.CI))) failed = true;
  }
  return failed ? 1 : 0;
}

/**
 * Interprets the answer of `npm audit`. Without a report nothing is known, which is not the same as "nothing found".
 */
export function auditVerdict(answer: AuditAnswer): Check {
  if (answer.auditReportVersion === undefined || answer.vulnerabilities === undefined) {
    const why = answer.statusCode ? `the registry answered ${answer.statusCode}` : (answer.message ?? 'no report');
    return { verdict: 'unknown', text: `npm audit: NOT DONE (${why}). Run it where the registry knows advisories.` };
  }
  const found = Object.entries(answer.vulnerabilities);
  if (found.length === 0) return { verdict: 'clean', text: 'npm audit: no known vulnerability.' };
  const lines = found.map(([name, { severity, range }]) => `  ${name} ${range}: ${severity}`);
  return { verdict: 'refused', text: ['npm audit: vulnerable packages.', ...lines].join('\n') };
}

/**
 * Writes every package of the lock file to the SBOM, also those for other platforms.
 * @returns number of distinct names and versions
 */
async function writeSbom(): Promise<number> {
  const text = await npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only');
  const bom = JSON.parse(text) as { components?: readonly unknown[]; metadata: { component: { name: string } } };
  if (!bom.components) throw new LocalRunError(`npm sbom failed:\n${text}`);
  bom.metadata.component.name = 'orderly'; // npm uses the folder's name
  mkdirSync(new URL('.build/', ROOT), { recursive: true });
  writeFileSync(new URL(SBOM, ROOT), `${JSON.stringify(bom, null, 2)}\n`);
  return bom.components.length;
}

/** Returns the output of npm. npm prints JSON even if it fails. */
async function npm(...args: readonly string[]): Promise<string> {
  const options = { cwd: ROOT, maxBuffer: 64 * 2 ** 20 };
  try {
    return (await promisify(execFile)('npm', args, options)).stdout;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw new LocalRunError(`npm ${args[0]} failed: ${(error as Error).message}`, { cause: error });
    return stdout;
  }
}
