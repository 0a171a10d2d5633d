/** A package of `package-lock.json`, as far as this looks at it. */
export interface LockedPackage {
  readonly license?: string;
  readonly integrity?: string;
  /** It is never deployed. */
  readonly dev?: boolean;
  /** A link to a package of this repository. */
  readonly link?: boolean;
  /** It came inside the archive of the package that contains it, whose hash covers it. */
  readonly inBundle?: boolean;
}

/** Packages by their folder (`node_modules/...`). */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** Permissive licences: they ask for a notice at most. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'];
/** MPL-2.0 asks for the source of a changed file: fine for a tool that is neither changed nor deployed. */
const FOR_TOOLS = [...PERMISSIVE, 'MPL-2.0'];

/** Whether an SPDX expression leaves a choice that is allowed: `OR` needs one allowed side, `AND` both. */
export function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const [text = ''] = /^[^()]*$/.exec(expression.replace(/^\((.*)\)$/, '$1')) ?? [];
  return text.split(' OR ').some((side) => side.split(' AND ').every((name) => allowed.includes(name.trim())));
}

/** Names each package whose licence is not on the list; deployed packages have the shorter list. */
export function licenceFaults(packages: LockedPackages): readonly string[] {
  return dependencies(packages)
    .filter(([, { license = '', dev }]) => !isAllowed(license, dev ? FOR_TOOLS : PERMISSIVE))
    .map(([path, { license, dev }]) => `${path}: ${license ?? 'no licence'}${dev ? '' : ' (deployed)'}`);
}

/** Names each package that `npm ci` would take without comparing a SHA-512. */
export function integrityFaults(packages: LockedPackages): readonly string[] {
  return dependencies(packages)
    .filter(([, { integrity, inBundle }]) => !inBundle && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => `${path}: no SHA-512`);
}

const dependencies = (packages: LockedPackages) =>
  // The others are the workspaces themselves, and the links to them.
  Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
