import type { EdgeKind, MapEdge, MapNode, NodeCounts, SystemMap } from '../server/map-contract.js';

/** A box of the picture: one node, or a whole service. */
export interface PictureBox {
  /** Id of the node, or `service:<id>`. */
  readonly id: string;
  readonly kind: MapNode['kind'] | 'service';
  readonly title: string;
  /** Second line: what a service has in it, or the service of a node from elsewhere. */
  readonly detail: string;
  /** Nodes that it stands for. */
  readonly members: readonly string[];
  /** Where a click leads within the map: `<service>` or `<service>/<node>`. */
  readonly place: string;
  readonly isDeadLetter: boolean;
  /** Whether it belongs to the open service. */
  readonly isOwn: boolean;
}

/** A line of the picture. */
export interface PictureLine {
  readonly from: string;
  readonly to: string;
  readonly kinds: readonly EdgeKind[];
  /** Types of the events that rules name for it. */
  readonly types: readonly string[];
  /** Edges that it stands for. */
  readonly members: readonly MapEdge[];
}

export interface Picture {
  readonly boxes: readonly PictureBox[];
  readonly lines: readonly PictureLine[];
}

/** The part of a map that is shown. */
export interface Shown {
  /** Id of the service that is open. @default none: services are boxes */
  readonly service?: string | undefined;
  /** Whether lines show who reads, and who writes what is another service's. */
  readonly withData: boolean;
  /** Whether dead-letter queues and what leads there is shown. */
  readonly withFailures: boolean;
}

const DATA: readonly EdgeKind[] = ['reads', 'writes'];

/** Draws what is shown of a map: services as boxes, or one service from the inside with its neighbours. */
export function drawPicture(map: SystemMap, { service, withData, withFailures }: Shown): Picture {
  const nodes = new Map(map.nodes.map((node) => [node.id, node]));
  const boxOf = (id: string): string | undefined => {
    const node = nodes.get(id);
    if (!node) return undefined;
    const isShown =
      node.service === undefined || node.service === service || (service !== undefined && node.kind === 'route');
    return isShown ? id : `service:${node.service}`;
  };
  const failures = failureNodes(map);
  const lines = new Map<string, { from: string; to: string; members: MapEdge[] }>();
  for (const edge of direct(map, nodes)) {
    if (DATA.includes(edge.kind) && !withData && isOptional(edge, nodes, service)) continue;
    if (!withFailures && (edge.kind === 'fails' || failures.has(edge.from) || failures.has(edge.to))) continue;
    const [from, to] = [boxOf(edge.from), boxOf(edge.to)];
    if (from === undefined || to === undefined || from === to) continue;
    if (service !== undefined && !touches(edge, nodes, service)) continue;
    const key = `${from}\n${to}`;
    const line = lines.get(key) ?? { from, to, members: [] };
    line.members.push(edge);
    lines.set(key, line);
  }
  const used = new Set([...lines.values()].flatMap(({ from, to }) => [from, to]));
  const own = map.nodes.filter((node) => node.service === service && (withFailures || !failures.has(node.id)));
  const ids = service === undefined ? map.services.map(({ id }) => `service:${id}`) : own.map(({ id }) => id);
  return {
    boxes: [...new Set([...ids, ...used])].map((id) => toBox(map, nodes, id, service)),
    lines: [...lines.values()].map(({ from, to, members }) => ({
      from,
      to,
      members,
      kinds: [...new Set(members.map(({ kind }) => kind))],
      types: [...new Set(members.flatMap(({ rules = [] }) => rules.flatMap(({ types }) => types)))],
    })),
  };
}

/**
 * Returns the edges, where an event goes from its publisher to its consumer directly if both name its source: a bus in the middle of
 * everything would say nothing.
 */
function direct(map: SystemMap, nodes: ReadonlyMap<string, MapNode>): readonly MapEdge[] {
  const publishers = map.edges.filter(({ kind }) => kind === 'publishes');
  const resolved = new Set<MapEdge>();
  const straight = map.edges.flatMap((edge): readonly MapEdge[] => {
    const { from: bus, to, kind, rules = [] } = edge;
    if (kind !== 'delivers' || nodes.get(bus)?.kind !== 'bus') return [];
    return publishers.flatMap((publisher) => {
      if (publisher.to !== bus || !publisher.sources) return [];
      const { sources } = publisher;
      const own = rules.filter((rule) => rule.sources.some((source) => sources.includes(source)));
      if (own.length === 0) return [];
      resolved.add(publisher);
      return [{ from: publisher.from, to, kind, rules: own }];
    });
  });
  const others = map.edges.flatMap((edge): readonly MapEdge[] => {
    if (resolved.has(edge)) return [];
    if (edge.kind !== 'delivers' || nodes.get(edge.from)?.kind !== 'bus') return [edge];
    const left = (edge.rules ?? []).filter(
      (rule) => !straight.some(({ to, rules = [] }) => to === edge.to && rules.includes(rule)),
    );
    return left.length > 0 ? [{ ...edge, rules: left }] : [];
  });
  return [...others, ...straight];
}

const serviceOf = (nodes: ReadonlyMap<string, MapNode>, id: string): string | undefined => nodes.get(id)?.service;

const touches = ({ from, to }: MapEdge, nodes: ReadonlyMap<string, MapNode>, service: string): boolean =>
  [from, to].some((id) => serviceOf(nodes, id) === service);

/** Whether an edge is shown with data only: one to another service, and who reads. In the open service it is always shown who writes. */
const isOptional = (
  { from, to, kind }: MapEdge,
  nodes: ReadonlyMap<string, MapNode>,
  service: string | undefined,
): boolean => kind === 'reads' || service === undefined || [from, to].some((id) => serviceOf(nodes, id) !== service);

/** Returns the nodes that only have to do with what failed: dead-letter queues, and functions that get nothing else. */
function failureNodes({ nodes, edges }: SystemMap): ReadonlySet<string> {
  const dead = new Set(nodes.filter(({ isDeadLetter }) => isDeadLetter).map(({ id }) => id));
  const fed = nodes.filter(({ id, kind }) => {
    const given = edges.filter((edge) => edge.to === id && GIVES.includes(edge.kind));
    return kind === 'function' && given.length > 0 && given.every(({ from }) => dead.has(from));
  });
  return new Set([...dead, ...fed.map(({ id }) => id)]);
}

/** Kinds of edges that start a function. */
const GIVES: readonly EdgeKind[] = ['calls', 'consumes', 'streams', 'delivers'];

function toBox(map: SystemMap, nodes: ReadonlyMap<string, MapNode>, id: string, open: string | undefined): PictureBox {
  const node = nodes.get(id);
  if (node) {
    const { kind, name, service } = node;
    const isOwn = service === open;
    const home = map.services.find((one) => one.id === service)?.name ?? '';
    const place = service === undefined ? '' : `${service}/${id}`;
    const detail = isOwn || kind === 'route' ? kind : [kind, home].filter((part) => part !== '').join(', ');
    return { id, kind, title: name, detail, members: [id], place, isDeadLetter: node.isDeadLetter === true, isOwn };
  }
  const service = id.replace(/^service:/, '');
  const members = map.nodes.filter((one) => one.service === service);
  const title = map.services.find((one) => one.id === service)?.name ?? service;
  return {
    id,
    kind: 'service',
    title,
    detail: describe(members),
    members: members.map((one) => one.id),
    place: service,
    isDeadLetter: false,
    isOwn: false,
  };
}

/** Says how many of each kind there are, of the most important kinds: `11 routes, 27 functions`. */
function describe(nodes: readonly MapNode[]): string {
  const parts = (['route', 'function', 'queue', 'table', 'bus'] as const).flatMap((kind) => {
    const count = nodes.filter((node) => node.kind === kind && !node.isDeadLetter).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? kind : kind === 'bus' ? 'buses' : `${kind}s`}`];
  });
  return parts.slice(0, 2).join(', ');
}

/** Adds the numbers of all that a box stands for. */
export function sumCounts(box: PictureBox, counts: Readonly<Record<string, NodeCounts>>): NodeCounts {
  const found = box.members.flatMap((id) => counts[id] ?? []);
  const sum = (of: (one: NodeCounts) => number): number => found.reduce((total, one) => total + of(one), 0);
  return {
    pending: sum(({ pending }) => pending),
    // A service's messages in flight are its invocations, too: each is counted once.
    inFlight: Math.max(...['queue', 'function'].map((kind) => inFlightOf(box, counts, kind))),
    errors: sum(({ errors }) => errors),
  };
}

const inFlightOf = (box: PictureBox, counts: Readonly<Record<string, NodeCounts>>, kind: string): number =>
  box.members.filter((id) => id.startsWith(`${kind}:`)).reduce((total, id) => total + (counts[id]?.inFlight ?? 0), 0);

/** Says the numbers of a box in words; empty where there is nothing. */
export function describeCounts({ pending, inFlight, errors }: NodeCounts): string {
  const parts = [
    pending > 0 && `${pending} pending`,
    inFlight > 0 && `${inFlight} in flight`,
    errors > 0 && `${errors} ${errors === 1 ? 'error' : 'errors'}`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
