/** Members of a package in `package-lock.json` that are checked. */
export interface LockedPackage {
  readonly license?: string;
  readonly integrity?: string;
  /** Whether the package is never deployed. */
  readonly dev?: boolean;
  /** Whether the entry links to a package of this repository. */
  readonly link?: boolean;
  /** Whether the package is inside the archive of another package, whose hash covers it. */
  readonly inBundle?: boolean;
}

/** Packages by their folder (`node_modules/...`). */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** Permissive licences. They require at most a notice. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
];
/**
 * MPL-2.0 requires the source of changed files, and CC-BY-4.0 (of data) the author's name. Both are acceptable for tools that are neither changed
 * nor deployed.
 */
const FOR_TOOLS = [...PERMISSIVE, 'CC-BY-4.0', 'MPL-2.0'];

/** Tells whether an SPDX expression is allowed: for `OR` one side must be allowed, for `AND` both. */
export function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const [text = ''] = /^[^()]*$/.exec(expression.replace(/^\((.*)\)$/, '$1')) ?? [];
  return text.split(' OR ').some((side) => side.split(' AND ').every((name) => allowed.includes(name.trim())));
}

/** Lists packages whose licence is not allowed. Deployed packages have the shorter list. */
export function licenceFaults(packages: LockedPackages): readonly string[] {
  return dependencies(packages)
    .filter(([, { license = '', dev }]) => !isAllowed(license, dev ? FOR_TOOLS : PERMISSIVE))
    .map(([path, { license, dev }]) => `${path}: ${license ?? 'no licence'}${dev ? '' : ' (deployed)'}`);
}

/** Lists packages that `npm ci` would install without comparing a SHA-512. */
export function integrityFaults(packages: LockedPackages): readonly string[] {
  return dependencies(packages)
    .filter(([, { integrity, inBundle }]) => !inBundle && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => `${path}: no SHA-512`);
}

const dependencies = (packages: LockedPackages) =>
  // The other entries are the workspaces themselves, and the links to them.
  Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
