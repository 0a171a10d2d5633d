import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalRunError } from '../errors.js';
import {
  findPython,
  installationPlace,
  installOnce,
  installSources,
  installWheels,
  type Place,
  run,
  runs,
} from '../installing.js';
import type { Progress } from '../progress.js';
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
  const { place, dynamodbLocal } = installationPlaces();
  if (existsSync(place.done)) return { python: place.python, dynamodbLocal };
  const python = findTools();
  try {
    await installOnce(place, 'LocalStack and DynamoDB Local', progress, async () => {
      await Promise.all([installLocalStack(python, place), installDynamoDbLocal(dynamodbLocal, place.folder)]);
    });
  } catch (error) {
    if (!(error instanceof LocalRunError)) throw error;
    throw new LocalRunError(`${error.message}\n${ELSEWHERE}`, { cause: error });
  }
  return { python: place.python, dynamodbLocal };
}

/**
 * Checks the tools that the next start needs. Once LocalStack is installed, that is Java only.
 * @throws {MissingToolError} for the first tool that is missing
 */
export function checkTools(): void {
  if (existsSync(installationPlaces().place.done)) requireJava();
  else findTools();
}

/** Returns the installation, or `undefined` if there is none yet. */
export function installed(): Installation | undefined {
  const { place, dynamodbLocal } = installationPlaces();
  return existsSync(place.done) ? { python: place.python, dynamodbLocal } : undefined;
}

function installationPlaces() {
  const place = installationPlace('localstack', [WHEELS, SDISTS, JARS]);
  return { place, dynamodbLocal: join(place.folder, 'dynamodb-local') };
}

/** Returns Python, if Java and Maven are there too. */
function findTools(): string {
  const named = process.env.PYTHON;
  const python = findPython();
  if (!python && named)
    throw new MissingToolError(
      `PYTHON is '${named}', which is no Python 3.11 to 3.13 with its venv module. Name another one, or unset PYTHON.`,
    );
  if (!python)
    throw new MissingToolError(
      'Python 3.11 to 3.13 with its venv module is needed for LocalStack (or name one: PYTHON=/path/to/python3.13).',
    );
  requireJava();
  if (!runs('mvn', ['-v'])) throw new MissingToolError('Maven (mvn) is needed: it brings DynamoDB Local.');
  return python;
}

function requireJava(): void {
  const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
  if (javaVersion(java) < 17) throw new MissingToolError('Java 17 or newer is needed for DynamoDB Local.');
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

async function installLocalStack(python: string, place: Place): Promise<void> {
  await installWheels(place, python, WHEELS);
  await installSources(place, SDISTS);
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
