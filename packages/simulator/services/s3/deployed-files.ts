import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import { type Body, toBody } from '../../runtime/http.js';

/** Custom resource of the CDK that copies files of assets into a bucket (`BucketDeployment`); its function is in Python. */
export const DEPLOYS_FILES = 'Custom::CDKBucketDeployment';

/** A file that a deployment puts into a bucket, before any history. */
interface DeployedFile {
  readonly bucket: string;
  readonly key: string;
  readonly body: Body;
  readonly contentType: string;
}

/** Types by the ends of names; `aws s3 sync`, which the CDK calls, guesses them too. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
};

/** Files by custom resource: they are read once for all histories. */
const known = new WeakMap<Resource, readonly DeployedFile[]>();

/** Reads the files that a deployment copies into a bucket. AWS CDK, "aws-cdk-lib.aws_s3_deployment module". */
export function readDeployedFiles(deployment: Resource, assembly: Assembly): readonly DeployedFile[] {
  const files = known.get(deployment) ?? readFiles(deployment, assembly);
  known.set(deployment, files);
  return files;
}

function readFiles({ properties }: Resource, assembly: Assembly): readonly DeployedFile[] {
  const {
    SourceObjectKeys: sources = [],
    SourceMarkers: markers = [],
    DestinationBucketName: bucket = '',
    DestinationBucketKeyPrefix: prefix = '',
  } = properties as {
    readonly SourceObjectKeys?: readonly string[];
    readonly SourceMarkers?: readonly JsonObject[];
    readonly DestinationBucketName?: string;
    readonly DestinationBucketKeyPrefix?: string;
  };
  return sources.flatMap((S3Key, at) => {
    const folder = assembly.assetFolder({ S3Key });
    return listFiles(folder).map((path) => ({
      bucket,
      key: [prefix.replace(/\/$/, ''), relative(folder, path).split(sep).join('/')].filter(Boolean).join('/'),
      body: toBody(fillMarkers(readFileSync(path), markers[at] ?? {})),
      contentType: TYPES[extname(path).toLowerCase()] ?? 'binary/octet-stream',
    }));
  });
}

const listFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .sort();

/** Puts values of the deployment in the place of the marks that the CDK has left for them (`Source.jsonData`). */
const fillMarkers = (bytes: Buffer, markers: JsonObject): Buffer =>
  Object.entries(markers).reduce(
    (filled, [mark, value]) =>
      filled.includes(mark) ? Buffer.from(filled.toString().replaceAll(mark, () => String(value))) : filled,
    bytes,
  );
