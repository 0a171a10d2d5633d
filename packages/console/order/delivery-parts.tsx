import { formatMoment, formatTime } from '../page/format.js';
import { ACTIONS } from './actions.js';
import { formatElapsed } from './format-elapsed.js';
import type { DeliveryMark } from './history.js';

/** Does something to the environment. @param begun says what, until it says itself what it did */
export type Act = (what: () => Promise<string>, begun: string) => Promise<void>;

/** A time since the beginning, and by the clock. */
export const Moment = ({ at, from }: { readonly at: number; readonly from: number }) => (
  <>
    {formatElapsed(at - from)} (
    <time dateTime={new Date(at).toISOString()}>{`${formatMoment(at).slice(0, 10)} ${formatTime(at)}`}</time> UTC)
  </>
);

/** The record that the consumer has of the message, with its expiry. */
export function Record({ delivery: { state, reason, expiresAt } }: { readonly delivery: DeliveryMark }) {
  return (
    <>
      <dt>Now</dt>
      <dd>
        {state}
        {reason === undefined ? '' : `: ${reason}`}
      </dd>
      {expiresAt === undefined ? null : (
        <>
          <dt>Record expires</dt>
          <dd>
            <time dateTime={new Date(expiresAt).toISOString()}>{formatMoment(expiresAt)}</time> UTC; a repetition that
            comes later is refused by its age
          </dd>
        </>
      )}
    </>
  );
}

/** What a local cloud can do to a message at its consumer. */
export function DeliveryActions({ delivery, onAct }: { readonly delivery: DeliveryMark; readonly onAct: Act }) {
  const { eventId, type, owner, consumer } = delivery;
  return (
    <div class="actions">
      <button type="button" onClick={() => onAct(() => ACTIONS.sendAgain(eventId), `${type} is sent again …`)}>
        Send this message again
      </button>
      {owner === undefined ? null : (
        <button type="button" onClick={() => onAct(() => ACTIONS.killNext(owner), `${owner} is to be killed …`)}>
          Kill the next attempt of {consumer}
        </button>
      )}
      <button
        type="button"
        onClick={() => onAct(() => ACTIONS.sendMuchLater(eventId), '36 days pass, which takes some seconds …')}
      >
        36 days later, again
      </button>
    </div>
  );
}

/** A message that no attempt has taken yet. */
export function Waiting({
  delivery,
  isLocal,
  onAct,
}: {
  readonly delivery: DeliveryMark;
  readonly isLocal: boolean;
  readonly onAct: Act;
}) {
  return (
    <div>
      <h2>
        {delivery.type} waits for {delivery.consumer}
      </h2>
      <dl>
        <Record delivery={delivery} />
      </dl>
      {isLocal ? <DeliveryActions delivery={delivery} onAct={onAct} /> : null}
    </div>
  );
}
