import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Assembly, Resource } from '../assembly/assembly.js';
import type { JsonObject } from '../assembly/intrinsics.js';

/** Layers of AWS that only measure. AWS Lambda, "Monitor function performance with Amazon CloudWatch Lambda Insights". */
const ONLY_MEASURES = /:layer:LambdaInsightsExtension(-Arm64)?:\d+$/;

/**
 * The layer with Powertools for AWS Lambda, by its ARN or by the public parameter that has it. Code gets these packages from the project, which has
 * them for its types. Powertools for AWS Lambda (TypeScript), "Lambda Layer".
 */
const POWERTOOLS = /:layer:AWSLambdaPowertoolsTypeScript(V\d+)?:\d+$|^\/aws\/service\/powertools\/typescript\//;

/** Folders that Node looks through for packages of layers. AWS Lambda, "Packaging your layer content": `PATH` and `NODE_PATH`. */
const OF_PACKAGES = [
  'nodejs/node_modules',
  'nodejs/node18/node_modules',
  'nodejs/node20/node_modules',
  'nodejs/node22/node_modules',
];

/** Layers of a function: the folders of those of its assembly, and the ARNs of those that are not known. */
export interface Layers {
  /** In the order in which they are put one over another. */
  readonly folders: readonly string[];
  readonly unknown: readonly string[];
  readonly hasPowertools: boolean;
}

/** Finds the layers of a function. AWS Lambda, "Managing Lambda dependencies with layers": they are unpacked in `/opt`. */
export function findLayers({ properties }: Resource, assembly: Assembly): Layers {
  const all = assembly.findByType('AWS::Lambda::LayerVersion');
  const layers = [properties.Layers ?? []].flat().map((name) => {
    const own = all.find(({ ref, arn }) => name === ref || name === arn);
    if (POWERTOOLS.test(String(name))) return { isPowertools: true };
    if (!own) return { unknown: String(name) };
    const folder = assembly.assetFolder((own.properties.Content ?? {}) as JsonObject);
    return existsSync(folder) ? { folder } : { unknown: `${own.label}, whose content is no folder` };
  });
  return {
    hasPowertools: layers.some(({ isPowertools }) => isPowertools),
    folders: layers.flatMap(({ folder }) => folder ?? []),
    unknown: layers.flatMap(({ unknown }) => (unknown === undefined || ONLY_MEASURES.test(unknown) ? [] : unknown)),
  };
}

/** Returns the folders of packages of layers, in the order in which Node looks through them. */
export const packagesOfLayers = (folders: readonly string[]): readonly string[] =>
  OF_PACKAGES.flatMap((path) => [...folders].reverse().map((folder) => join(folder, path))).filter((path) =>
    existsSync(path),
  );

const IN_OPT = /(\b(?:require|import)\(\s*|\bfrom\s*|\bimport\s*)(["'])\/opt\/([^"']+)\2/g;

/** Puts the files of layers in the place of those in `/opt` that a source asks for; a later layer's are over an earlier one's. */
export const inLayers = (source: string, folders: readonly string[]): string =>
  source.replaceAll(IN_OPT, (asked: string, before: string, _quote: string, path: string) => {
    const found = [...folders]
      .reverse()
      .find((folder) =>
        ['', '.js', '.mjs', '.cjs', '.json', '/index.js'].some((end) => existsSync(join(folder, `${path}${end}`))),
      );
    return found === undefined ? asked : `${before}${JSON.stringify(join(found, path))}`;
  });
