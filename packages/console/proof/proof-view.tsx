import './proof.css';
import { useSignal } from '@preact/signals';
import { Answered } from '../page/answered.js';
import { formatNumber } from '../page/format.js';
import { useAnswer } from '../page/loading.js';
import { EmptyState } from '../page/states.js';
import type { HistoriesOffer } from '../server/histories-contract.js';
import { CompareView } from './compare-view.js';
import { GuardsView } from './guards-view.js';
import { HistoryPage } from './history-page.js';
import { play, stop, wall } from './search.js';
import { countPlayed, type Wall } from './wall.js';
import { WallView } from './wall-view.js';

/** Why to believe that effects happen once: consumers side by side, and every history with one fault. */
export function ProofView({ id }: { readonly id: string }) {
  return id === '' ? <Overview /> : <HistoryPage id={id} />;
}

function Overview() {
  const offer = useAnswer<HistoriesOffer>('/_console/histories').value;
  return (
    <section class="proof" aria-label="Consumers and histories">
      <h1>Proof</h1>
      <Answered what="What the app offers to play" of={offer}>
        {(offered) =>
          offered.nothing === undefined ? <Playable offer={offered} /> : <EmptyState>{offered.nothing}</EmptyState>
        }
      </Answered>
    </section>
  );
}

function Playable({ offer }: { readonly offer: HistoriesOffer }) {
  const { scenarios, guards, comparisons, recorded } = offer;
  const chosen = useSignal(wall.value?.choice.scenario ?? scenarios[0]?.id ?? '');
  const scenario = scenarios.find(({ id }) => id === chosen.value) ?? scenarios[0];
  const now = wall.value;
  const isRunning = now?.state === 'playing' || now?.state === 'preparing';
  const begin = (guard?: string): void => void play({ scenario: chosen.value, ...(guard !== undefined && { guard }) });
  return (
    <>
      <CompareView comparisons={comparisons} />
      <section aria-labelledby="histories">
        <h2 id="histories">Histories</h2>
        <p>
          A history plays the app in a simulated cloud, with one fault at one point. Each cell is one history, and
          afterwards every promise is checked. {scenario?.about}
        </p>
        <p class="tools">
          <label>
            Scenario{' '}
            <select
              value={chosen.value}
              disabled={isRunning}
              onChange={({ currentTarget }) => {
                chosen.value = currentTarget.value;
              }}
            >
              {scenarios.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {isRunning ? (
            <button type="button" onClick={stop}>
              Stop
            </button>
          ) : (
            <button type="button" onClick={() => begin(now?.choice.guard)}>
              Play histories
            </button>
          )}
        </p>
        <GuardsView guards={guards} removed={now?.choice.guard} onSwitch={begin} />
        {now ? <Progress wall={now} guard={guards.find(({ id }) => id === now.choice.guard)?.label} /> : null}
        {now ? <WallView wall={now} /> : null}
      </section>
      {recorded === undefined ? null : (
        <section aria-labelledby="recorded">
          <h2 id="recorded">Recorded proof</h2>
          <p>{recorded}</p>
        </section>
      )}
    </>
  );
}

const STATES: Readonly<Record<Wall['state'], string>> = {
  preparing: 'The app is built and deployed for histories …',
  playing: 'Histories are played.',
  stopped: 'Stopped.',
  ended: 'All histories are played.',
  failed: 'The search failed.',
};

function Progress({ wall: now, guard }: { readonly wall: Wall; readonly guard: string | undefined }) {
  const { cells, state, message = '', calmBroken } = now;
  const { played, broken } = countPlayed(now);
  return (
    <div class="progress">
      <p role="status">
        {guard === undefined ? '' : `Without: ${guard}. `}
        {STATES[state]} {message}
        {calmBroken ? ` The history without a fault breaks a promise already: ${calmBroken.join('; ')}.` : ''}
      </p>
      {cells.length > 0 ? (
        <>
          <progress max={cells.length} value={played} aria-label="Histories that are played" />
          <p class="numbers">
            <span data-count="played">{formatNumber(played)}</span> of {formatNumber(cells.length)} histories,{' '}
            <span data-count="broken" class={broken > 0 ? 'bad' : ''}>
              {formatNumber(broken)} broken
            </span>
          </p>
        </>
      ) : null}
    </div>
  );
}
