import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { byName, Declarations, type Exported, keyOf, type Place } from './declarations.js';
import { compile, type Manifest, modulesOf, PACKAGES, ROOT } from './pack.js';

/** Folder of the approved texts: the public API of each package, as it was decided. */
export const APPROVED_API = new URL('../../test/golden/public-api/', import.meta.url);

/**
 * Returns the public API of the packages as text, by the package's name: each module of `exports` with the
 * declarations of what it exports, and at the end what these name although no module exports it.
 * @throws {PackFailed} if the packages do not compile
 * @throws {UnknownDeclaration}
 */
export function publicApi(): ReadonlyMap<string, string> {
  const build = join(ROOT, '.build');
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(join(build, 'public-api-'));
  try {
    // One compilation for all packages takes half the time.
    compile(join(ROOT, 'packages'), join(folder, 'packages'), {
      of: PACKAGES.map(modulesOf),
      options: { emitDeclarationOnly: true, removeComments: true },
    });
    return new Map(
      PACKAGES.map((name) => {
        const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
        return [name, renderPublicApi(manifest, new Declarations(join(folder, 'packages', name)))];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the text of one package's public API. */
export function renderPublicApi(
  { name, exports }: Pick<Manifest, 'name' | 'exports'>,
  declarations: Declarations,
): string {
  const modules = Object.entries(exports)
    // Modules by a pattern are for packages of the same release.
    .filter(([module]) => !module.includes('*'))
    .map(([module, file]) => ({
      name: module.replace('.', name),
      exported: declarations.listExports(file.replace(/^\.\/|\.ts$/g, '')),
    }))
    .toSorted(byName);
  const exported = modules.flatMap((module) => module.exported.flatMap(({ place }) => place ?? []));
  const sections = [
    ...modules.map((module) => [
      `# ${module.name}`,
      ...module.exported.map((one) => renderDeclared(one, declarations)),
    ]),
    ...notExported(name, exported, declarations),
  ];
  return `${sections.map((parts) => parts.join('\n\n')).join('\n\n\n')}\n`;
}

function renderDeclared({ name, place, typeOnly }: Exported, declarations: Declarations): string {
  if (!place) return `// ${name} is another package's`;
  const notes = [
    ...(place.name === name ? [] : [`// exported as ${name}`]),
    ...(typeOnly ? ['// exported as a type only'] : []),
  ];
  return [...notes, declarations.readDeclaration(place)].join('\n');
}

/** Returns the section of what users meet in a signature and cannot import. */
function notExported(
  name: string,
  exported: readonly Place[],
  declarations: Declarations,
): readonly (readonly string[])[] {
  const isExported = new Set(exported.map(keyOf));
  const found = new Map<string, { readonly place: Place; readonly by: Set<string> }>();
  const open = [...exported];
  for (let place = open.pop(); place; place = open.pop()) {
    for (const named of declarations.namedBy(place)) {
      const key = keyOf(named);
      if (isExported.has(key)) continue;
      if (!found.has(key)) open.push(named);
      found.set(key, { place: named, by: (found.get(key)?.by ?? new Set<string>()).add(place.name) });
    }
  }
  if (found.size === 0) return [];
  const texts = [...found.values()]
    .map(({ place, by }) => ({
      name: `${place.name} ${place.file}`,
      text: `// (not exported) named by ${[...by].toSorted().join(', ')}\n${declarations.readDeclaration(place)}`,
    }))
    .toSorted(byName);
  return [[`# ${name}: not exported, but named above`, ...texts.map(({ text }) => text)]];
}
