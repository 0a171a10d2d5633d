import { formatMoment } from '../page/format.js';
import { formatElapsed } from './format-elapsed.js';
import type { PlacedMark } from './layout.js';
import { describeLook, LOOK_TEXTS, nameCommit, type Subject } from './marks.js';
import { classOf } from './picture.js';

interface ListProps {
  /** In the order of time. */
  readonly marks: readonly PlacedMark[];
  /** Beginning of the history, milliseconds since 1970. */
  readonly from: number;
  readonly opened: string | undefined;
  readonly onOpen: (id: string) => void;
}

/** The same history as a table, for those who can't use the picture. */
export function ListView({ marks, from, opened, onOpen }: ListProps) {
  return (
    <div class="scrolled">
      <table class="history-list">
        <caption class="unseen">Every commit, delivery and timeout, in the order of time</caption>
        <thead>
          <tr>
            <th scope="col">after</th>
            <th scope="col">where</th>
            <th scope="col">what</th>
            <th scope="col">outcome</th>
            <th scope="col">record</th>
          </tr>
        </thead>
        <tbody>
          {marks.flatMap((mark) =>
            listRows(mark.subject).map(({ key, at, where, what, outcome, look }) => (
              <tr key={key} class={classOf(look)}>
                <td>
                  <time dateTime={new Date(at).toISOString()} title={`${formatMoment(at)} UTC`}>
                    {formatElapsed(at - from)}
                  </time>
                </td>
                <td>{where}</td>
                <td>{what}</td>
                <td class="outcome">{outcome}</td>
                <td>
                  <button
                    type="button"
                    aria-pressed={mark.id === opened}
                    aria-label={`Show the record of ${what}, ${outcome}`}
                    onClick={() => onOpen(mark.id)}
                  >
                    show
                  </button>
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

interface Row {
  readonly key: string;
  readonly at: number;
  readonly where: string;
  readonly what: string;
  readonly outcome: string;
  readonly look: string;
}

/** Returns the rows of a mark: one for each thing that shares it. */
function listRows(subject: Subject): readonly Row[] {
  switch (subject.kind) {
    case 'commit':
      return subject.commits.map((one) => ({
        key: one.id,
        at: one.at,
        where: one.service,
        what: nameCommit(one),
        outcome: one.isPublication ? 'published' : 'committed',
        look: 'commit',
      }));
    case 'attempt':
      return subject.attempts.map(({ attempt, delivery }) => ({
        key: attempt.id,
        at: attempt.at,
        where: delivery.consumer,
        what: `${delivery.type}, delivery ${attempt.receiveCount ?? 1}`,
        outcome: describeLook(attempt),
        look: attempt.look,
      }));
    case 'waiting': {
      const { delivery } = subject;
      const { id: key, sentAt: at, consumer: where, type: what } = delivery;
      return [{ key, at, where, what, outcome: LOOK_TEXTS.waiting, look: 'waiting' }];
    }
    case 'timer':
      return subject.timers.map(({ id: key, due: at, service: where }) => ({
        key,
        at,
        where,
        what: 'timeout',
        outcome: 'due',
        look: 'timer',
      }));
  }
}
