import type { FailureReason } from '@orderly/kit/internal/failures/failure-reasons.js';
import { failureTextPlace } from '@orderly/kit/internal/failures/failure-reasons.js';
import type { CommandContext } from '../cli/context.js';
import type { FoundRecord } from './consumer-records.js';

/** Form in which an operator sees a text that is sealed with the data key of a person. */
export type UnsealedText =
  | { readonly state: 'opened'; readonly text: string }
  | { readonly state: 'forgotten' }
  /** `why`: name of the error. */
  | { readonly state: 'unreadable'; readonly why: string };

/** Opens people's keys with the operator's own permissions. */
type Context = Pick<CommandContext, 'documents'> & Partial<Pick<CommandContext, 'stacks' | 'environment' | 'endpoint'>>;

/** A reason as it is shown: with the opened text in place of the sealed one. */
export type DisplayedReason = Omit<FailureReason, 'sealed'> & { readonly sealedText?: UnsealedText };

/** Opens the sealed texts of a record's reasons. It reads no key if there are none. */
export async function unsealReasons(
  context: Context,
  { listener, record: { failures = [] } }: Pick<FoundRecord, 'listener' | 'record'>,
): Promise<readonly DisplayedReason[]> {
  const people = new Set(failures.flatMap(({ sealed }) => sealed?.person ?? []));
  const shown = new Map<unknown, UnsealedText>();
  for (const person of people) {
    const sealed = failures.flatMap((one) => (one.sealed?.person === person ? [one.sealed.text] : []));
    const opened = await unsealForPerson(context, person, listener.name, sealed);
    for (const [at, text] of sealed.entries()) if (opened[at]) shown.set(text, opened[at]);
  }
  return failures.map(({ sealed, ...reason }) => {
    const sealedText = sealed && shown.get(sealed.text);
    return { ...reason, ...(sealedText && { sealedText }) };
  });
}

async function unsealForPerson(
  { documents, stacks, environment, endpoint }: Context,
  person: string,
  consumer: string,
  texts: readonly { readonly sealed: string }[],
): Promise<readonly UnsealedText[]> {
  try {
    if (!stacks || environment === undefined || !endpoint) return texts.map(() => unreadable('no keys'));
    const { openPersonalKeys: openKeys } = await import('../people/personal-data.js');
    const keys = openKeys({ stacks, environment, endpoint, documents });
    const opened = await keys.openAll(
      person,
      texts.map((sealed) => ({ sealed, place: failureTextPlace(consumer) })),
    );
    return opened.map((text) => (typeof text === 'string' ? { state: 'opened', text } : { state: 'forgotten' }));
  } catch (error) {
    return texts.map(() => unreadable(error instanceof Error ? error.name : 'unknown'));
  }
}

const unreadable = (why: string): UnsealedText => ({ state: 'unreadable', why });

/** Describes a sealed text in one line. */
export function describeSealedText(sealed: UnsealedText): string {
  if (sealed.state === 'opened') return `${sealed.text}   (sealed: readable until the person is forgotten)`;
  if (sealed.state === 'forgotten') return 'the person of its message was forgotten, and its text with them';
  return `sealed, and these credentials can't open it (${sealed.why})`;
}
