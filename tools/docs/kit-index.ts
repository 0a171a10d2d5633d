import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Folder of the kit: a pattern, or what functions need of AWS. */
export interface KitFolder {
  readonly name: string;
  /** Title of its README. */
  readonly title: string;
  /** First paragraph of its README, in one line: what the folder is for. */
  readonly summary: string;
  /** Modules of the package that lie in the folder, as they are imported. */
  readonly modules: readonly string[];
  /** Tells whether the folder has a page that compares it with what others offer. */
  readonly isCompared: boolean;
}

/** Folders of the exports that lie in none: their page. */
const PAGE_OF_ROOT_FILE: Readonly<Record<string, string>> = { './constructs.ts': 'service', './routes.ts': 'http' };

interface PackageJson {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/**
 * Reads the folders of the kit in the order of their names. The summary of a folder stands in one place, its README; the
 * indexes of patterns are generated from it.
 * @param kit folder with the kit's `package.json`, with a slash at its end
 * @throws {Error} if a folder has no README that begins with a title and a summary, or an export has no folder
 */
export function kitFolders(kit: URL): readonly KitFolder[] {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', kit), 'utf8')) as PackageJson;
  const folders = readdirSync(kit, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map((folder) => folder.name)
    .toSorted();
  // A pattern is no module of its own: it is for packages of the same release.
  const paths = Object.entries(exports).filter(([path]) => !path.includes('*'));
  const modules = paths.map(([path, file]) => {
    const folder = PAGE_OF_ROOT_FILE[file] ?? /^\.\/([^/]+)\//.exec(file)?.[1] ?? '';
    if (!folders.includes(folder)) throw new Error(`export ${path} of ${name} lies in no folder: ${file}`);
    return { folder, module: `${name}${path.slice(1)}` };
  });
  return folders.map((folder) => ({
    name: folder,
    ...readTitleAndSummary(new URL(`${folder}/README.md`, kit)),
    modules: modules.filter((module) => module.folder === folder).map(({ module }) => module),
    isCompared: existsSync(new URL(`${folder}/ALTERNATIVES.md`, kit)),
  }));
}

/** Reads the title and the first paragraph of a README. */
function readTitleAndSummary(readme: URL): Pick<KitFolder, 'title' | 'summary'> {
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : '';
  const [, title = '', paragraph = ''] = /^# ([^\n]+)\n\n(.+?)\n(?:\n|$)/s.exec(text) ?? [];
  const summary = paragraph.replaceAll('\n', ' ');
  // It is repeated on other pages: a relative link leads elsewhere there, and a source is no summary.
  if (summary === '' || /^(Sources?:|[#|`-])|\]\(/.test(summary))
    throw new Error(`${readme.pathname} does not begin with a title and a summary without links`);
  return { title, summary };
}

/** Lists all folders as links in one line. @param kit path of the kit from the page */
export const patternLinks = (folders: readonly KitFolder[], kit: string): string =>
  folders.map(({ name, title }) => `[${title}](${kit}${name}/README.md)`).join(' · ');

/** Lists all folders with their summaries. @param kit path of the kit from the page */
export const patternTable = (folders: readonly KitFolder[], kit: string): string =>
  [
    '| folder | pattern |',
    '|---|---|',
    ...folders.map(({ name, summary, isCompared }) => {
      const compared = isCompared ? ` [Alternatives](${kit}${name}/ALTERNATIVES.md)` : '';
      return `| [${name}](${kit}${name}/README.md) | ${summary}${compared} |`;
    }),
  ].join('\n');

/** Lists all folders with their modules: the package's own page, which is read without the folders' pages. */
export const moduleTable = (folders: readonly KitFolder[]): string =>
  [
    '| page | what it is for | modules |',
    '|---|---|---|',
    ...folders.map(({ name, summary, modules }) => {
      const imported = modules.map((module) => `\`${module}\``).join(', ');
      return `| \`${name}\` | ${summary} | ${imported || 'none: constructs bring it'} |`;
    }),
  ].join('\n');
