import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from './pictures.js';

/** A module of a service. */
export interface ServiceModule {
  /** Service that it belongs to; empty for the application's own modules. */
  readonly service: string;
  readonly url: URL;
  /** Its exports by their names. */
  readonly exported: object;
}

const LAMBDAS = new URL('lambdas/', ROOT);

/** Loads the modules `lambdas/<service>/<name>.ts` and `lambdas/<name>.ts`, in the order of their paths. */
export async function modulesNamed(name: string): Promise<readonly ServiceModule[]> {
  const files = readdirSync(LAMBDAS, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((file) => new RegExp(`^(?:([^/\\\\]+)[/\\\\])?${name}\\.ts$`).exec(file))
    .filter((file) => file !== null);
  return Promise.all(
    files.map(async ([file, service = '']) => {
      const url = new URL(file, LAMBDAS);
      return { service, url, exported: (await import(url.href)) as object };
    }),
  );
}

/** Returns the release of the application. */
export function appRelease(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string };
  return version;
}

/** Compares entries by their names as code units, so that the order is the same on each machine. */
export const byName = ([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number =>
  one < other ? -1 : Number(one > other);
