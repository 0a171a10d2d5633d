import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalRunError } from '../errors.js';
import { type Progress, waitUntil } from '../progress.js';
import { verifyJars } from './jars.js';

/** Version of `com.amazonaws:DynamoDBLocal` on Maven Central. */
const DYNAMODB_LOCAL = '2.6.1';
/** Version of DynamoDB Local's Jetty; jetty-xml starts it on the loopback interface (`dynamodb-local.xml`). */
const JETTY = '12.0.14';
/** Pinned, since a plugin runs code, and Maven compares it only with the registry's checksum. */
const MAVEN_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
const [WHEELS, SDISTS, JARS] = ['requirements.lock', 'sdists.lock', 'jars.lock'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string, string];
const ELSEWHERE =
  'Or use an emulator (or account) that runs elsewhere: ORDERLY_ENDPOINT=http://localhost:4566 npm start\n' +
  'Or do without LocalStack: npm start runs a local cloud, which needs Node only.';

/** Installed files: LocalStack in a Python environment, and DynamoDB Local's jars. */
export interface Installation {
  readonly python: string;
  readonly dynamodbLocal: string;
}

/** Error for a required tool that is missing or too old. */
export class MissingToolError extends LocalRunError {
  constructor(what: string) {
    super(`${what}\n${ELSEWHERE}`);
  }
}

/**
 * Installs LocalStack (from PyPI) and DynamoDB Local (from Maven), both locked by hashes. The first installation takes
 * a minute; later calls take no time.
 *
 * All clones share one installation per version, below `$XDG_CACHE_HOME/orderly` (600 MB). If several processes install
 * at the same time, one installs and the others wait.
 * @throws {MissingToolError} at once, if Python, Java or Maven is missing
 * @throws {LocalRunError} with the tool's output, if the installation fails
 */
export async function install(progress: Progress): Promise<Installation> {
  const { cache, folder, done, ...installed } = places();
  if (existsSync(done)) return installed;
  const tools = findTools();
  mkdirSync(cache, { recursive: true });
  await alone(`${folder}.lock`, progress, async () => {
    if (existsSync(done)) return;
    progress(`installing LocalStack and DynamoDB Local into ${folder} (once, about a minute)`);
    rmSync(folder, { recursive: true, force: true }); // left by an interrupted installation
    mkdirSync(folder);
    await Promise.all([installLocalStack(tools.python, folder), installDynamoDbLocal(installed.dynamodbLocal, folder)]);
    writeFileSync(done, '');
  });
  return installed;
}

/**
 * Checks the tools that the next start needs. Once LocalStack is installed, that is Java only.
 * @throws {MissingToolError} for the first tool that is missing
 */
export function checkTools(): void {
  if (existsSync(places().done)) needJava();
  else findTools();
}

/** Returns the installation, or `undefined` if there is none yet. */
export function installed(): Installation | undefined {
  const { done, python, dynamodbLocal } = places();
  return existsSync(done) ? { python, dynamodbLocal } : undefined;
}

function places() {
  const hash = createHash('sha256');
  for (const lock of [WHEELS, SDISTS, JARS]) hash.update(readFileSync(lock));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orderly');
  const folder = join(cache, `localstack-${hash.digest('hex').slice(0, 12)}`);
  const python = join(folder, 'venv', 'bin', 'python');
  return { cache, folder, done: join(folder, 'done'), python, dynamodbLocal: join(folder, 'dynamodb-local') };
}

function findTools(): { python: string } {
  const named = process.env.PYTHON;
  const python = (named ? [named] : ['python3.13', 'python3.12', 'python3.11', 'python3']).find((name) =>
    runs(name, ['-c', 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))']),
  );
  if (!python && named)
    throw new MissingToolError(
      `PYTHON is '${named}', which is no Python 3.11 to 3.13 with its venv module. Name another one, or unset PYTHON.`,
    );
  if (!python)
    throw new MissingToolError(
      'Python 3.11 to 3.13 with its venv module is needed for LocalStack (or name one: PYTHON=/path/to/python3.13).',
    );
  needJava();
  if (!runs('mvn', ['-v'])) throw new MissingToolError('Maven (mvn) is needed: it brings DynamoDB Local.');
  return { python };
}

function needJava(): void {
  const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
  if (javaVersion(java) < 17) throw new MissingToolError('Java 17 or newer is needed for DynamoDB Local.');
}

function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns Java's major version, or 0 without Java. */
function javaVersion(java: string): number {
  try {
    const text = execFileSync(java, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/\b(\d+)(?:[.+-]\S*)?\s/.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function installLocalStack(python: string, folder: string): Promise<void> {
  const venv = join(folder, 'venv');
  await run(python, ['-m', 'venv', venv]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes'];
  await run(join(venv, 'bin', 'python'), [...pip, '--only-binary', ':all:', '-r', WHEELS]);
  // Built by the setuptools that was just installed. A wheel in pip's cache could come from any other build tool.
  const build = ['--no-binary', ':all:', '--no-build-isolation', '--use-pep517', '--no-cache-dir'];
  await run(join(venv, 'bin', 'python'), [...pip, ...build, '-r', SDISTS]);
}

async function installDynamoDbLocal(target: string, folder: string): Promise<void> {
  const pom = join(folder, 'pom.xml');
  writeFileSync(
    pom,
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>orderly</groupId><artifactId>dynamodb-local</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId><version>${DYNAMODB_LOCAL}</version>
  </dependency><dependency>
    <groupId>org.eclipse.jetty</groupId><artifactId>jetty-xml</artifactId><version>${JETTY}</version>
  </dependency></dependencies>
</project>`,
  );
  const goal = [`${MAVEN_PLUGIN}:copy-dependencies`, '-DincludeScope=runtime', `-DoutputDirectory=${target}`];
  await run('mvn', ['-q', '-B', '--strict-checksums', '-f', pom, ...goal]);
  verifyJars(target, readFileSync(JARS, 'utf8'));
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new LocalRunError(`${command} ${args.slice(0, 3).join(' ')} failed:\n${said}\n${ELSEWHERE}`));
    });
  });
}

/** Runs work in one process at a time. A file holds the id of that process; a file of a dead process is ignored. */
async function alone(file: string, progress: Progress, work: () => Promise<void>): Promise<void> {
  let told = false;
  await waitUntil(
    async () => {
      try {
        writeFileSync(file, String(process.pid), { flag: 'wx' });
        return true;
      } catch {
        if (!holderLives(file)) rmSync(file, { force: true });
        else if (!told) {
          told = true;
          progress('another process is installing LocalStack: waiting for it');
        }
        return undefined;
      }
    },
    { idleMs: 600_000, everyMs: 500, missing: () => `the installation that holds ${file} has not ended` },
  );
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function holderLives(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}
