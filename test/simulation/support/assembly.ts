import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AUDIENCE, ISSUER, jwks } from './issuer.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CACHE = join(ROOT, '.build', 'simulation');
/** What the templates and bundles are made of. */
const SOURCES = ['bin', 'lib', 'lambdas', 'cdk.json', 'package-lock.json'];

/**
 * The cloud assembly of `prod` with a test issuer: synthesized once for each state of the sources.
 * @returns its folder
 */
export function prodAssembly(): string {
  const folder = join(CACHE, fingerprint());
  if (existsSync(join(folder, 'manifest.json'))) return folder;
  mkdirSync(CACHE, { recursive: true });
  const draft = `${folder}.${process.pid}`;
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: object };
  const settings = {
    environment: 'prod',
    issuer: ISSUER,
    audience: AUDIENCE,
    jwks: jwks(),
    paymentProvider: 'sandbox',
  };
  execFileSync(process.execPath, ['--import', 'tsx', 'bin/orderly-app.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      CDK_OUTDIR: draft,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...settings, alarmEmail: 'alarms@simulation.test' }),
      NODE_NO_WARNINGS: '1',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was faster: the same sources make the same assembly.
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function fingerprint(): string {
  const hash = createHash('sha256').update(jwks());
  const add = (path: string): void => {
    const full = join(ROOT, path);
    if (statSync(full).isDirectory()) for (const entry of readdirSync(full).sort()) add(join(path, entry));
    else hash.update(path).update('\0').update(readFileSync(full)).update('\0');
  };
  for (const source of SOURCES) add(source);
  return hash.digest('hex').slice(0, 16);
}
