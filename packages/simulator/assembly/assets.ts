import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AccountAndRegion, PARTITION } from './identity.js';
import { readJson } from './manifest.js';

/** A file of assets: AWS CDK, `@aws-cdk/cloud-assembly-schema`, "AssetManifest". */
interface AssetManifest {
  readonly files?: Readonly<Record<string, FileAsset>>;
}

interface FileAsset {
  /** Assets that a program makes have no path. */
  readonly source?: { readonly path?: string };
  readonly destinations?: Readonly<Record<string, { readonly objectKey?: string }>>;
}

/**
 * Returns the paths of an assembly's assets by their keys in S3, as its files of assets (`*.assets.json`) name them.
 * @param folders of the app and of its stages
 */
export function readAssets(
  folders: readonly string[],
  { account, region }: AccountAndRegion,
): ReadonlyMap<string, string> {
  const known: Readonly<Record<string, string>> = {
    'AWS::AccountId': account,
    'AWS::Region': region,
    'AWS::Partition': PARTITION,
  };
  const paths = new Map<string, string>();
  for (const folder of folders) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.assets.json'))) {
      const { files = {} } = readJson(folder, file) as AssetManifest;
      for (const { source, destinations = {} } of Object.values(files))
        for (const { objectKey } of Object.values(destinations)) {
          if (source?.path === undefined || objectKey === undefined) continue;
          const key = objectKey.replace(/\$\{([^}]+)\}/g, (whole, name: string) => known[name] ?? whole);
          if (!paths.has(key)) paths.set(key, resolve(folder, source.path));
        }
    }
  }
  return paths;
}

/** Returns the path of an asset without a file that names it: the CDK calls it by the hash in its key. @returns nothing if it isn't there */
export function guessAsset(folders: readonly string[], key: string): string | undefined {
  const name = assetName(key);
  // The name is the hash of what is in it, so any of several is right.
  const paths = folders.map((folder) => join(folder, name));
  return [...paths, ...paths.map((path) => `${path}.zip`)].find((path) => existsSync(path));
}

/** Returns the usual name of an asset: `asset.<hash>`. */
export const assetName = (key: string): string => `asset.${key.replace(/\.zip$/, '')}`;
