import { describe, expect, test } from 'vitest';
import type { MapEdge, MapNode, SystemMap } from '../server/map-contract.js';
import { describeCounts, drawPicture, type Shown, sumCounts } from './picture.js';

const node = (service: string, kind: MapNode['kind'], name: string, more: Partial<MapNode> = {}): MapNode => ({
  id: `${kind}:${service}/${name}`,
  kind,
  name,
  label: `${service}/${name}`,
  service,
  ...more,
});

/** Two services and a bus between them: the shop publishes, the store listens, and gives up to a dead-letter queue. */
const MAP: SystemMap = {
  services: ['Api', 'Shop', 'Store', 'Platform'].map((name) => ({ id: name, name })),
  nodes: [
    node('Api', 'route', 'POST /orders'),
    node('Shop', 'function', 'Place'),
    node('Shop', 'function', 'Relay'),
    node('Shop', 'table', 'Table'),
    node('Store', 'queue', 'Queue'),
    node('Store', 'function', 'OnOrders'),
    node('Store', 'queue', 'Dead', { isDeadLetter: true }),
    node('Store', 'function', 'Drain'),
    node('Platform', 'bus', 'Bus'),
    node('Platform', 'table', 'Keys'),
  ],
  edges: [
    { from: 'route:Api/POST /orders', to: 'function:Shop/Place', kind: 'calls' },
    { from: 'function:Shop/Place', to: 'table:Shop/Table', kind: 'writes' },
    { from: 'function:Shop/Place', to: 'table:Platform/Keys', kind: 'reads' },
    { from: 'table:Shop/Table', to: 'function:Shop/Relay', kind: 'streams' },
    { from: 'function:Shop/Relay', to: 'table:Shop/Table', kind: 'reads' },
    { from: 'function:Shop/Relay', to: 'bus:Platform/Bus', kind: 'publishes', sources: ['shop'] },
    {
      from: 'bus:Platform/Bus',
      to: 'queue:Store/Queue',
      kind: 'delivers',
      rules: [{ label: 'Store/Orders', sources: ['shop'], types: ['OrderPlaced'] }],
    },
    { from: 'queue:Store/Queue', to: 'function:Store/OnOrders', kind: 'consumes' },
    { from: 'queue:Store/Queue', to: 'queue:Store/Dead', kind: 'fails' },
    { from: 'queue:Store/Dead', to: 'function:Store/Drain', kind: 'consumes' },
  ],
};

const draw = (shown: Partial<Shown> = {}, map = MAP) =>
  drawPicture(map, { withData: false, withFailures: false, ...shown });
const linesOf = (shown: Partial<Shown> = {}, map = MAP): readonly string[] =>
  draw(shown, map).lines.map(({ from, to, kinds }) => `${from} ${kinds.join('+')} ${to}`);
const boxesOf = (shown: Partial<Shown> = {}): readonly string[] => draw(shown).boxes.map(({ id }) => id);

describe('a map of services', () => {
  test('an event goes from its publisher to its consumer, without the bus between them', () => {
    expect(linesOf()).toEqual(['service:Api calls service:Shop', 'service:Shop delivers service:Store']);
    expect(draw().lines[1]?.types).toEqual(['OrderPlaced']);
  });

  test('a rule that names no source literally keeps its line from the bus', () => {
    const [rule] = MAP.edges.flatMap(({ rules = [] }) => rules);
    const edges = MAP.edges.map(
      (edge): MapEdge => (edge.kind === 'delivers' && rule ? { ...edge, rules: [{ ...rule, sources: [] }] } : edge),
    );
    expect(linesOf({}, { ...MAP, edges })).toEqual([
      'service:Api calls service:Shop',
      'service:Shop publishes service:Platform',
      'service:Platform delivers service:Store',
    ]);
  });

  test('who reads, and who uses data of other services, is shown on request', () => {
    expect(linesOf({ service: 'Shop', withData: true })).toContain('function:Shop/Relay reads table:Shop/Table');
    expect(linesOf({ withData: true })).toContain('service:Shop reads service:Platform');
  });

  test('a service without any line has a box', () => {
    expect(boxesOf()).toContain('service:Platform');
  });
});

describe('a service from the inside', () => {
  test('its neighbours are services, except the routes that call it', () => {
    expect(linesOf({ service: 'Shop' })).toEqual([
      'route:Api/POST /orders calls function:Shop/Place',
      'function:Shop/Place writes table:Shop/Table',
      'table:Shop/Table streams function:Shop/Relay',
      'function:Shop/Relay delivers service:Store',
    ]);
  });

  test('dead-letter queues, and functions that get nothing else, are shown on request', () => {
    expect(boxesOf({ service: 'Store' })).toEqual(['queue:Store/Queue', 'function:Store/OnOrders', 'service:Shop']);
    expect(boxesOf({ service: 'Store', withFailures: true })).toEqual(
      expect.arrayContaining(['queue:Store/Dead', 'function:Store/Drain']),
    );
  });
});

test('a service sums what waits and fails, and counts a message with its invocation once', () => {
  const [store] = draw().boxes.filter(({ id }) => id === 'service:Store');
  const counts = {
    'queue:Store/Queue': { pending: 3, inFlight: 2, errors: 0 },
    'function:Store/OnOrders': { pending: 0, inFlight: 2, errors: 1 },
    'queue:Store/Dead': { pending: 4, inFlight: 0, errors: 4 },
    'queue:Shop/Other': { pending: 9, inFlight: 9, errors: 9 },
  };
  expect(store && sumCounts(store, counts)).toEqual({ pending: 7, inFlight: 2, errors: 5 });
});

test('numbers are said in words, and nothing is said of nothing', () => {
  expect(describeCounts({ pending: 2, inFlight: 0, errors: 1 })).toBe('2 pending, 1 error');
  expect(describeCounts({ pending: 0, inFlight: 0, errors: 0 })).toBe('');
});
