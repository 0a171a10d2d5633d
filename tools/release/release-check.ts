import { readFileSync } from 'node:fs';
import { PROD as PLAYED } from '../../test/support/simulation/assembly.js';
import { ISSUERS } from '../../test/support/simulation/issuer.js';
import { assemblies, DEV } from '../local/assembly.js';
import type { Wanted } from '../local/kept-assemblies.js';
import { type Comparison, compareReleases } from './check/compare.js';
import { type Allowed, judge, type Verdict } from './check/findings.js';
import { type OrdersUnderWay, playOrders } from './check/messages-under-way.js';
import { ReleaseStacks } from './check/releases.js';
import { releaseAssemblies } from './previous-assemblies.js';
import { previousRelease, type Release } from './previous-sources.js';

/** File of the exceptions that were chosen for this release. */
const ALLOWED = new URL('allowed.json', import.meta.url);

/** Environments that are compared, as they are deployed, with an issuer of nobody's. */
const COMPARED: readonly Wanted[] = [
  {
    environment: 'prod',
    context: { issuer: 'https://issuer.example.org/', audience: 'orderly', alarmEmail: 'alarms@example.org' },
    isValidated: false,
  },
  DEV,
];

export const readAllowed = (): readonly Allowed[] => JSON.parse(readFileSync(ALLOWED, 'utf8')) as readonly Allowed[];

/**
 * Compares assemblies of this release with those of an earlier one.
 * @param folders of this release's assemblies, in the order of `wanted`
 */
export function compareWith(
  release: Release,
  wanted: readonly Wanted[],
  folders: readonly string[],
): readonly Comparison[] {
  const earlier = releaseAssemblies(release, wanted);
  return wanted.map(({ environment }, at) =>
    compareReleases(environment, ReleaseStacks.of(earlier[at] ?? ''), ReleaseStacks.of(folders[at] ?? '')),
  );
}

/**
 * Plays orders in `prod` with a provider that moves no money and an issuer of tests, while this release is deployed over an earlier one.
 * @param after folder of this release's assembly
 */
export function playOrdersOver(release: Release, after: string): Promise<OrdersUnderWay> {
  const [before = ''] = releaseAssemblies(release, [PLAYED]);
  return playOrders(PLAYED.environment, { before, after }, ISSUERS.issuer);
}

/**
 * Runs `npm run release:check`: plays the deployment of this release over the previous one, and says what AWS would refuse, which data
 * would be lost, and which orders.
 */
export async function main(): Promise<number> {
  const release = previousRelease();
  const [played = '', ...folders] = assemblies([PLAYED, ...COMPARED]);
  const comparisons = compareWith(release, COMPARED, folders);
  const orders = await playOrdersOver(release, played);
  const verdict = judge(
    [...comparisons.flatMap(({ findings }) => findings), ...orders.findings],
    readAllowed(),
    COMPARED.map(({ environment }) => environment),
  );
  console.log(render(release, comparisons, verdict, orders));
  return verdict.red.length + verdict.unused.length > 0 ? 1 : 0;
}

const RETURNS: Readonly<Record<Comparison['goesBack'], string>> = {
  forwards: 'goes back by `cdk deploy --all` of its commit',
  backwards:
    'goes back stack by stack (`cdk deploy --exclusively`), the last one of the list first: exports of this release are in use',
  neither: 'does not go back over this one: exports of this release are in use, and it needs some that are gone',
};

/** Returns what `npm run release:check` prints. */
export function render(
  { version }: Release,
  comparisons: readonly Comparison[],
  verdict: Verdict,
  orders?: Omit<OrdersUnderWay, 'findings'>,
): string {
  const { red, allowed, unused } = verdict;
  const lines = [
    ...red.map(
      ({ kind, environment, where, what, mend }) =>
        `RED ${kind}, ${environment}: ${where}\n    ${what}\n    mend: ${mend}`,
    ),
    ...unused.map(
      (one) => `RED the exception for ${one} is used no more\n    mend: remove it from tools/release/allowed.json`,
    ),
    ...allowed.map(
      ({ kind, environment, where, reason }) => `allowed ${kind}, ${environment}: ${where}\n    ${reason}`,
    ),
    ...comparisons.map(({ environment, goesBack }) => `${environment}: ${version} ${RETURNS[goesBack]}`),
    ...(orders
      ? [
          `${orders.environment}: ${orders.works} orders went through ${orders.sets} sets of old and new stacks, with ${orders.underWay} messages on their way`,
        ]
      : []),
  ];
  const count = red.length + unused.length;
  const summary =
    count === 0
      ? `AWS takes this release over ${version}.`
      : `${count} to mend before this release follows ${version}.`;
  return [...lines, summary].join('\n');
}
