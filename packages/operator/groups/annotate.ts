import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import type { Service } from '../deployment/services.js';
import { shortenId } from '../records/list-format.js';
import { type CauseNote, describeNote, NOTE_FIELDS, readCauseNotes, storeCauseNote } from './cause-notes.js';
import { findCauses } from './causes.js';
import { readFailureGroups } from './failures.js';
import { findByBeginning, type OperatorGroup } from './group.js';
import { readStuckGroups } from './sagas.js';

/** Changes of a note. A field with an empty text is removed, one without a value stays. */
export interface AnnotateRequest {
  /** Beginning of the cause's id. */
  readonly cause: string;
  readonly fields: Readonly<Partial<Record<(typeof NOTE_FIELDS)[number], string>>>;
}

/**
 * `failures annotate`: says who takes care of a cause, which ticket it has, and what is known. The note stays while the cause is
 * gone, so that the one who sees it again finds the ticket.
 * @throws {OperatorError} `not-found`, or `refused` if several causes begin so
 */
export async function annotateCause(
  context: Pick<CommandContext, 'app' | 'documents' | 'services' | 'command' | 'clock' | 'actor'>,
  { cause: prefix, fields }: AnnotateRequest,
): Promise<Outcome> {
  const { documents, services, command } = context;
  const [failures, stuck, notes] = await Promise.all([
    readFailureGroups(context),
    readStuckGroups(documents, services),
    readCauseNotes(documents, services),
  ]);
  const groups: readonly OperatorGroup[] = [...failures, ...stuck.groups];
  const causes = findCauses(groups);
  const ids = [...new Set([...causes.map(({ id }) => id), ...notes.keys()])];
  const { id } = findByBeginning(
    'cause',
    ids.map((one) => ({ id: one })),
    prefix,
    (one) => one.id,
  );
  const known = notes.get(id);
  const cause = causes.find((one) => one.id === id);
  const home = known?.service ?? findHome(services, cause?.cause.publisher, cause?.groups[0]?.service);
  const note: CauseNote = { ...changed(known?.note ?? {}, fields), by: await context.actor(), at: context.clock.now() };
  await storeCauseNote(documents, home, { cause: id, note });
  const { by, at, ...said } = note;
  return {
    exitCode: Exit.OK,
    text: [
      `${shortenId(id, ids)}: ${describeNote(note)} (by ${by})`,
      '',
      'next:',
      `  ${command('failures', 'causes')}`,
    ].join('\n'),
    json: { annotation: { cause: id, ...said, by, at } },
  };
}

/** Returns what a note says after a change. It is a pure function. */
function changed(
  before: Partial<CauseNote>,
  fields: AnnotateRequest['fields'],
): Pick<CauseNote, (typeof NOTE_FIELDS)[number]> {
  const values = NOTE_FIELDS.map((name) => [name, fields[name] ?? before[name]] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== ''));
}

/** The table of the publisher keeps the note of its messages; that of a consumer does if the publisher is no service of the application. */
function findHome(services: readonly Service[], publisher: string | undefined, consumer: string | undefined): Service {
  const named = (name: string | undefined) => services.find((service) => service.name === name);
  const home = named(publisher) ?? named(consumer) ?? services[0];
  if (!home) throw new Error('an environment without services has no cause');
  return home;
}
