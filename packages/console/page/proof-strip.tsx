import { COUNT_NAMES, type CountName, type Counts } from '../server/contract.js';
import { formatNumber, formatTime } from './format.js';
import { describeDeliveries, proof, WORDS } from './proof.js';
import { linkTo, route } from './route.js';

/** The numbers that prove, on top of each view. Each opens what it counts. */
export function ProofStrip() {
  const known = proof.value;
  return (
    <section class="strip" aria-label="Proof">
      <ul>
        {COUNT_NAMES.map((name) => (
          <li key={name} class={nameOfState(name, known)}>
            <a
              href={linkTo('counted', name)}
              title={WORDS[name].about}
              aria-current={route.value.name === 'counted' && route.value.id === name ? 'page' : undefined}
            >
              <span>{WORDS[name].label}</span> <strong data-count={name}>{textOf(name, known)}</strong>
            </a>
          </li>
        ))}
      </ul>
      <p class="checked">{checked(known)}</p>
      {known && <p class="checked">{describeDeliveries(known)}</p>}
    </section>
  );
}

function textOf(name: CountName, known: Counts | undefined): string {
  const count = known?.counts[name];
  if (!count) return '…';
  if ('value' in count) return formatNumber(count.value);
  return count.isUnderWay ? 'checking …' : 'unknown';
}

/** Lost and done twice are red from one on. */
function nameOfState(name: CountName, known: Counts | undefined): string {
  const count = known?.counts[name];
  if (name !== 'lost' && name !== 'twice') return 'counted';
  if (!count || !('value' in count)) return 'unknown';
  return count.value === 0 ? 'held' : 'broken';
}

function checked(known: Counts | undefined): string {
  if (!known) return '';
  const { checkedUntil, unjudged, open, counts } = known;
  const waiting =
    open > 0
      ? `${formatNumber(open)} ${open === 1 ? 'crash waits' : 'crashes wait'} until the message comes again. `
      : '';
  if ('unknown' in counts.lost) return `${waiting}Lost and done twice: ${counts.lost.unknown}`;
  const under = unjudged > 0 ? `, ${formatNumber(unjudged)} deliveries are under way` : '';
  const until = checkedUntil ? `checked at ${formatTime(Date.parse(checkedUntil)).slice(0, 8)}` : '';
  return `${waiting}Lost and done twice: ${until}${under}.`;
}
