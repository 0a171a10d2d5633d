import { linkTo } from '../page/route.js';
import type { MapEdge, MapNode, NodeCounts, SystemMap } from '../server/map-contract.js';
import { describeCounts } from './picture.js';

/** Where the resource browser shows what a node holds. */
const BROWSED = { table: 'tables', queue: 'queues', bucket: 'buckets', function: 'logs' } as const;
const VERBS: Readonly<Record<MapEdge['kind'], readonly [out: string, back: string]>> = {
  calls: ['calls', 'is called by'],
  publishes: ['publishes to', 'gets events of'],
  delivers: ['delivers to', 'gets events from'],
  consumes: ['is read by', 'consumes'],
  streams: ['streams its changes to', 'gets the changes of'],
  sends: ['sends to', 'gets messages of'],
  reads: ['reads', 'is read by'],
  writes: ['writes', 'is written by'],
  fails: ['gives up to', 'gets what is given up by'],
};

/** One resource: its numbers, its neighbours, and where its content is. */
export function NodeFacts(props: { readonly map: SystemMap; readonly node: MapNode; readonly counts: NodeCounts }) {
  const { map, node, counts } = props;
  const kind = BROWSED[node.kind as keyof typeof BROWSED];
  return (
    <aside class="map-facts" aria-labelledby="map-node">
      <h2 id="map-node">{node.label}</h2>
      <p>
        {node.kind}, {describeCounts(counts) || 'nothing waits'}
        {kind !== undefined && node.resource !== undefined ? (
          <>
            {'. '}
            <a href={linkTo('data', `${kind}/${node.resource}`)}>{kind === 'logs' ? 'Its log' : 'What is in it'}</a>
          </>
        ) : null}
        {node.service === undefined ? null : (
          <>
            {'. '}
            <a href={linkTo('map', node.service)}>Close</a>
          </>
        )}
      </p>
      <ul>
        {map.edges.flatMap((edge) => {
          const isOut = edge.from === node.id;
          if (!isOut && edge.to !== node.id) return [];
          const other = map.nodes.find(({ id }) => id === (isOut ? edge.to : edge.from));
          const types = [...new Set((edge.rules ?? []).flatMap((rule) => rule.types))];
          return [
            <li key={`${edge.from} ${edge.to} ${edge.kind}`}>
              {VERBS[edge.kind][isOut ? 0 : 1]}{' '}
              {other?.service === undefined ? (
                (other?.name ?? '')
              ) : (
                <a href={linkTo('map', `${other.service}/${other.id}`)}>{other.label}</a>
              )}
              {types.length > 0 ? `: ${types.join(', ')}` : ''}
            </li>,
          ];
        })}
      </ul>
    </aside>
  );
}
