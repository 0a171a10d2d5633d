import type { Random } from '../engine/random.js';
import type { HttpRequest } from '../runtime/http.js';
import type { ProviderFault, ProviderFaultKind, ThirdParty } from './outside-hosts.js';

/** A fault of a provider that has no meaning: what is wrong with it. */
export class ProviderFaultMalformed extends Error {
  override readonly name = 'ProviderFaultMalformed';
}

const KINDS: readonly ProviderFaultKind[] = [
  'slow',
  'refused',
  'answer-lost',
  'server-error',
  'server-error-after',
  'too-many',
];

/**
 * Returns the model of a host, with faults of the provider. The first fault that is for a request happens at it.
 * @example
 * cloud.thirdParties.add('cards.example.com', makeFaulty(cards, { kind: 'answer-lost', requests: 'POST /charges', nth: [1] }));
 * @throws {ProviderFaultMalformed}
 */
export function makeFaulty(model: ThirdParty, ...faults: readonly ProviderFault[]): ThirdParty {
  for (const fault of faults) check(fault);
  return {
    answer: (request) => model.answer(request),
    refuse: () => model.refuse(),
    faults: [...faults, ...(model.faults ?? [])],
  };
}

function check({ kind, probability = 1, nth = [], first = 1 }: ProviderFault): void {
  if (!KINDS.includes(kind))
    throw new ProviderFaultMalformed(`fault ${String(kind)} of a provider: expected one of ${KINDS.join(', ')}`);
  if (!(probability >= 0 && probability <= 1))
    throw new ProviderFaultMalformed(`probability ${probability} of ${kind}: expected a number from 0 to 1`);
  if (![first, ...nth].every((number) => Number.isSafeInteger(number) && number > 0))
    throw new ProviderFaultMalformed(`first and nth of ${kind}: expected whole numbers from 1 on`);
}

/** Decides which fault happens at each request of one host. */
export class ProviderFaults {
  private readonly counts: number[];

  /** @param random decides over probabilities */
  constructor(
    private readonly faults: readonly ProviderFault[],
    private readonly random: Random,
  ) {
    this.counts = faults.map(() => 0);
  }

  /** Returns the fault of the next request; nothing if there is none. */
  next(request: HttpRequest): ProviderFault | undefined {
    const happens = this.faults.filter((fault, at) => {
      if (!`${request.method} ${request.path}`.startsWith(fault.requests ?? '')) return false;
      const count = (this.counts[at] ?? 0) + 1;
      this.counts[at] = count;
      const { probability = 1, nth, first = Number.POSITIVE_INFINITY } = fault;
      // A number is drawn in any case, so that one fault more or less changes none of the others.
      const isDrawn = this.random.chance(probability);
      return isDrawn && count <= first && (nth?.includes(count) ?? true);
    });
    return happens[0];
  }
}
