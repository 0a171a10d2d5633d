import type { MapService, SystemMap } from '@orderly/console';
import type { Resource } from '../assembly/assembly.js';
import type { Cloud } from '../cloud/cloud.js';
import { MapEdges } from './page-map-edges.js';
import { DEFAULT_BUS, MapNodes } from './page-map-nodes.js';

/** Returns the map of an account: everything on it is read from the resources that are deployed. */
export function mapOf(cloud: Cloud): SystemMap {
  const { assembly } = cloud.deployment;
  const services = servicesOf(assembly.resources);
  const nodes = new MapNodes(cloud);
  const edges = new MapEdges(cloud, nodes);
  edges.addAll();
  const used = new Set(edges.list().flatMap(({ from, to }) => [from, to]));
  // Each account has a default bus and may know topics: they are on the map only if something goes there.
  const shown = nodes.list().filter(({ id, kind }) => used.has(id) || (id !== DEFAULT_BUS && kind !== 'topic'));
  return { services, nodes: shown, edges: edges.list() };
}

/** Returns the stacks, by the first part of their constructs' paths if that is the same for all of them. */
function servicesOf(resources: readonly Resource[]): readonly MapService[] {
  const parts = new Map<string, Set<string>>();
  for (const { stack, label } of resources)
    parts.set(stack, (parts.get(stack) ?? new Set()).add(label.split('/')[0] ?? ''));
  return [...parts].map(([id, names]) => ({ id, name: names.size === 1 ? ([...names][0] ?? id) : id }));
}
