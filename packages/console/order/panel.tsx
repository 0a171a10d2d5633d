import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from '../page/route.js';
import { ACTIONS } from './actions.js';
import { type Act, DeliveryActions, Moment, Record, Waiting } from './delivery-parts.js';
import type { CommitMark, History, TimerMark } from './history.js';
import type { PlacedMark } from './layout.js';
import { type Attempted, describeLook, nameCommit } from './marks.js';
import { pathOfStored, type RecordSource } from './stored-path.js';
import { StoredRecords } from './stored-records.js';

interface PanelProps {
  readonly mark: PlacedMark;
  readonly history: History;
  readonly isLocal: boolean;
  /** Where the items and log lines behind a mark are read. @default they are not */
  readonly records?: RecordSource | undefined;
  /** Beginning of the history. */
  readonly from: number;
  readonly onAct: Act;
  readonly onClose: () => void;
}

/** Things of one mark that are shown at most; a list has them all. */
const SHOWN = 20;

/** The record behind a mark, and what a local cloud can do to it. */
export function Panel({ mark, history, isLocal, records, from, onAct, onClose }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const { subject } = mark;
  const path = records && pathOfStored(subject, history, records);
  return (
    <aside
      ref={panel}
      class="panel"
      tabIndex={-1}
      aria-label={mark.name}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <button type="button" class="close" aria-label="Close the record" onClick={onClose}>
        ×
      </button>
      {subject.kind === 'commit'
        ? subject.commits
            .slice(0, SHOWN)
            .map((one) => <Commit key={one.id} commit={one} from={from} isLocal={isLocal} onAct={onAct} />)
        : null}
      {subject.kind === 'attempt'
        ? subject.attempts
            .slice(0, SHOWN)
            .map((one) => <Attempt key={one.attempt.id} of={one} from={from} isLocal={isLocal} onAct={onAct} />)
        : null}
      {subject.kind === 'waiting' ? <Waiting delivery={subject.delivery} isLocal={isLocal} onAct={onAct} /> : null}
      {subject.kind === 'timer'
        ? subject.timers.slice(0, SHOWN).map((one) => <Timer key={one.id} timer={one} history={history} from={from} />)
        : null}
      <More subject={subject} />
      {path === undefined ? null : <StoredRecords path={path} />}
    </aside>
  );
}

function More({ subject }: Pick<PlacedMark, 'subject'>) {
  const all = subject.kind === 'commit' ? subject.commits : subject.kind === 'attempt' ? subject.attempts : [];
  return all.length > SHOWN ? <p>And {all.length - SHOWN} more: the list shows all of them.</p> : null;
}

interface PartProps {
  readonly from: number;
  readonly isLocal: boolean;
  readonly onAct: Act;
}

function Commit({ commit, from, isLocal, onAct }: PartProps & { readonly commit: CommitMark }) {
  const { service, subject, at, trigger, correlationId, messages } = commit;
  return (
    <div>
      <h2>{nameCommit(commit)}</h2>
      <dl>
        <dt>{commit.isPublication ? 'Published' : 'Committed'}</dt>
        <dd>
          <Moment at={at} from={from} />
        </dd>
        <dt>Service</dt>
        <dd>{service}</dd>
        <dt>Aggregate</dt>
        <dd>{subject}</dd>
        {trigger === '' ? null : (
          <>
            <dt>Caused by</dt>
            <dd>
              <a href={linkTo('order', trigger)}>{trigger}</a>
            </dd>
          </>
        )}
        <dt>Correlation</dt>
        <dd>
          <a href={linkTo('order', correlationId)}>{correlationId}</a>
        </dd>
      </dl>
      <ul class="messages">
        {messages.map(({ id, type, version, to, details }) => (
          <li key={id}>
            <strong>{type}</strong> {to === undefined ? `version ${version}` : `command for ${to}`}
            {details === undefined ? '' : `, ${details}`} <code>{id}</code>
          </li>
        ))}
      </ul>
      {isLocal && messages[0] ? <SendAgain messages={messages} onAct={onAct} /> : null}
    </div>
  );
}

function SendAgain({ messages, onAct }: { readonly messages: CommitMark['messages']; readonly onAct: Act }) {
  return (
    <div class="actions">
      {messages.map(({ id, type }) => (
        <button key={id} type="button" onClick={() => onAct(() => ACTIONS.sendAgain(id), `${type} is sent again …`)}>
          Send {type} again
        </button>
      ))}
    </div>
  );
}

function Attempt({ of, from, isLocal, onAct }: PartProps & { readonly of: Attempted }) {
  const { attempt, delivery } = of;
  const { at, began, isEstimated, receiveCount, messageId, cause, fault } = attempt;
  return (
    <div>
      <h2>{describeLook(attempt)}</h2>
      <dl>
        <dt>Message</dt>
        <dd>
          {delivery.type} <code>{delivery.eventId}</code>
        </dd>
        <dt>Consumer</dt>
        <dd>
          {delivery.consumer} of {delivery.service}
        </dd>
        <dt>Ended</dt>
        <dd>{isEstimated ? 'no source tells when' : <Moment at={at} from={from} />}</dd>
        {began === undefined ? null : (
          <>
            <dt>Took</dt>
            <dd>{at - began} ms</dd>
          </>
        )}
        {receiveCount === undefined ? null : (
          <>
            <dt>Delivery</dt>
            <dd>
              {receiveCount} of <code>{messageId}</code>
            </dd>
          </>
        )}
        {cause === undefined ? null : (
          <>
            <dt>Why</dt>
            <dd>{cause}</dd>
          </>
        )}
        {fault === undefined ? null : (
          <>
            <dt>Fault</dt>
            <dd>{fault}</dd>
          </>
        )}
        <Record delivery={delivery} />
      </dl>
      {isLocal ? <DeliveryActions delivery={delivery} onAct={onAct} /> : null}
    </div>
  );
}

function Timer({
  timer,
  history,
  from,
}: {
  readonly timer: TimerMark;
  readonly history: History;
  readonly from: number;
}) {
  const commit = history.commits.find(({ id }) => id === timer.commit);
  return (
    <div>
      <h2>Timeout of {timer.service}</h2>
      <dl>
        <dt>Set</dt>
        <dd>
          <Moment at={timer.at} from={from} />
          {commit ? ` with ${nameCommit(commit)}` : ''}
        </dd>
        <dt>Due</dt>
        <dd>
          <Moment at={timer.due} from={from} />. A later timeout or the end of the saga replaces it: then it is ignored.
        </dd>
      </dl>
    </div>
  );
}
