import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import type { SystemMap } from '../server/map-contract.js';
import { useLineCounts } from './line-counts.js';
import { useCounts } from './live-counts.js';
import './map.css';
import { MapList } from './map-list.js';
import { MapPicture } from './map-picture.js';
import { NodeFacts } from './node-facts.js';
import { drawPicture, type sumCounts } from './picture.js';

/** Below this width a picture is hard to read, so the list is shown first. */
const NARROW = '(max-width: 40rem)';

/** The app as it is deployed: services first, one of them from the inside. @param id `<service>` or `<service>/<node>` */
export function MapView({ id }: { readonly id: string }) {
  const loading = useAnswer<SystemMap>('/_console/map').value;
  return (
    <section aria-labelledby="map">
      <h1 id="map">Map</h1>
      {loading.state === 'loading' ? <LoadingState of="the map" /> : null}
      {loading.state === 'failed' ? <FailedState what="The map" error={loading.error} /> : null}
      {loading.state === 'loaded' ? <Loaded map={loading.answer} id={id} /> : null}
    </section>
  );
}

function Loaded({ map, id }: { readonly map: SystemMap; readonly id: string }) {
  const counts = useCounts();
  const isList = useSignal(matchMedia(NARROW).matches);
  const withData = useSignal(false);
  const withFailures = useSignal(false);
  const fits = useSignal<boolean | undefined>(undefined);
  const [name = '', ...rest] = id.split('/');
  const node = map.nodes.find((one) => one.id === rest.join('/'));
  // A link by a person may name the service as its constructs' paths do.
  const service = map.services.find((one) => one.id === name) ?? map.services.find((one) => one.name === name);
  const open = service?.id;
  const picture = useMemo(
    () => drawPicture(map, { service: open, withData: withData.value, withFailures: withFailures.value }),
    [map, open, withData.value, withFailures.value],
  );
  const moved = useLineCounts(picture);
  // Services fit in. One of them from the inside is larger, and keeps its size.
  const isFitted = fits.value ?? open === undefined;
  if (map.nodes.length === 0) return <EmptyState>This app has no functions, queues or tables to show.</EmptyState>;
  if (name !== '' && !service)
    return (
      <EmptyState>
        There is no service '{name}'. <a href={linkTo('map')}>All services</a>
      </EmptyState>
    );
  return (
    <>
      <p>
        {service ? (
          <>
            <a href={linkTo('map')}>All services</a> › <strong>{service.name}</strong>
          </>
        ) : (
          'Read from the resources that are deployed. A service opens with a click, or with Enter. A number on a line is what has moved along it lately.'
        )}
      </p>
      <fieldset class="map-choices">
        <legend class="unseen">What is shown</legend>
        <button type="button" aria-pressed={!isList.value} onClick={() => (isList.value = false)}>
          Picture
        </button>
        <button type="button" aria-pressed={isList.value} onClick={() => (isList.value = true)}>
          List
        </button>
        <label>
          <input type="checkbox" checked={withData.value} onChange={() => (withData.value = !withData.value)} /> reads,
          and data of other services
        </label>
        <label>
          <input
            type="checkbox"
            checked={withFailures.value}
            onChange={() => (withFailures.value = !withFailures.value)}
          />{' '}
          dead letters
        </label>
        {isList.value ? null : (
          <label>
            <input type="checkbox" checked={isFitted} onChange={() => (fits.value = !isFitted)} /> as wide as the page
          </label>
        )}
      </fieldset>
      {node ? <NodeFacts map={map} node={node} counts={sumOf(node.id, counts.value)} /> : null}
      {isList.value ? (
        <MapList picture={picture} counts={counts} moved={moved} />
      ) : (
        <MapPicture picture={picture} counts={counts} moved={moved} selected={node?.id} isFitted={isFitted} />
      )}
    </>
  );
}

const sumOf = (id: string, counts: Parameters<typeof sumCounts>[1]) => counts[id] ?? NOTHING;
const NOTHING = { pending: 0, inFlight: 0, errors: 0 };
