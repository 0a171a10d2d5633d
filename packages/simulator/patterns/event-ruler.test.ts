/**
 * Cases of AWS's own implementation, Event Ruler (https://github.com/aws/event-ruler, commit 337e8d9, Apache-2.0), each
 * with the test that it comes from.
 */
import { expect, test } from 'vitest';
import type { Pattern } from './compile.js';
import { matches } from './matches.js';

const README = {
  version: '0',
  id: 'ddddd4-aaaa-7777-4444-345dd43cc333',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: '012345679012',
  time: '2017-10-02T16:24:49Z',
  region: 'us-east-1',
  resources: ['arn:aws:ec2:us-east-1:012345679012:instance/i-000000aaaaaa00000'],
  detail: {
    'c.count': 5,
    'd.count': 3,
    'x.limit': 301.8,
    'source-ip': '10.0.0.33',
    'instance-id': 'i-000000aaaaaa00000',
    state: 'running',
  },
};

const RFC = {
  Image: {
    Width: 800,
    Height: 600,
    Title: 'View from 15th Floor',
    Thumbnail: { Url: 'http://www.example.com/image/481989943', Height: 125, Width: 100 },
    Animated: false,
    IDs: [116, 943, 234, 38793],
  },
};

const ARRAYS = {
  employees: [
    [
      { firstName: 'John', lastName: 'Doe', ids: [1234, 1000, 9999] },
      { firstName: 'Anna', lastName: 'Smith' },
    ],
    [{ firstName: 'Peter', lastName: 'Jones', ids: [] }],
  ],
};

const TASKS = (interfaceName: object) => ({
  requestContext: {
    taskInstances: [
      {
        taskInstanceState: 'ACTIVE',
        provider: { id: 'XXXXXXXXXXXX', type: 'XXXXXXXX' },
        resources: [{ legacyFocusCategory: 'XXXXXFocus', ...interfaceName }],
      },
      {
        taskInstanceState: 'InACTIVE',
        provider: { id: 'SomeRandom', type: 'XXXXXXXX' },
        resources: [
          {
            legacyFocusCategory: 'XXXXXFocus',
            additionalContext: { capabilityInterfaces: [{ interfaceName: 'Dummy.DummyDumDum' }] },
          },
        ],
      },
    ],
  },
});
const ABSENT = (name: string): Pattern => ({
  requestContext: {
    taskInstances: {
      taskInstanceState: ['ACTIVE'],
      provider: { id: ['XXXXXXXXXXXX'] },
      resources: { additionalContext: { capabilityInterfaces: { [name]: [{ exists: false }] } } },
    },
  },
});

/** One event, the patterns that match it, and patterns that don't. */
test.each<[string, object, readonly Pattern[], readonly Pattern[]]>([
  [
    'RulerTest, WHEN_RulesFromReadmeAreTried_THEN_TheyWork',
    README,
    [
      {
        'detail-type': [README['detail-type']],
        resources: README.resources,
        detail: { state: ['initializing', 'running'] },
      },
      { time: [{ prefix: '2017-10-02' }], detail: { state: [{ 'anything-but': 'initializing' }] } },
      {
        detail: {
          'source-ip': [{ cidr: '10.0.0.0/24' }],
          'c.count': [{ numeric: ['>', 0, '<=', 5] }],
          'd.count': [{ numeric: ['<', 10] }],
          'x.limit': [{ numeric: ['=', 3.018e2] }],
        },
      },
      { detail: { state: [{ 'anything-but': { prefix: 'init' } }] } },
      { detail: { state: [{ prefix: { 'equals-ignore-case': 'RuNn' } }] } },
      { detail: { state: [{ suffix: 'ning' }] } },
      { detail: { state: [{ suffix: { 'equals-ignore-case': 'nInG' } }] } },
      { detail: { 'source-ip': [{ cidr: '10.0.0.0/24' }] } },
      { detail: { 'source-ip': [{ cidr: '10.0.0.0/8' }] } },
    ],
    [],
  ],
  [
    'RulerTest, WHEN_WeWriteRulesToMatchVariousFieldCombos_THEN_TheyWork',
    RFC,
    [
      { Image: { Width: [800], Thumbnail: { Height: [125, 300] } } },
      { Image: { Thumbnail: { Url: [{ prefix: 'http' }] } } },
      { Image: { Title: [{ prefix: { 'equals-ignore-case': 'VIeW' } }] } },
      { Image: { Title: [{ suffix: { 'equals-ignore-case': 'LoOr' } }] } },
      { Image: { Title: [{ suffix: 'loor' }] } },
      {
        Image: {
          Width: [{ numeric: ['<', 1000] }],
          Height: [{ numeric: ['<=', 600] }],
          Title: [{ 'anything-but': 'View from 15th Flood' }],
          Thumbnail: {
            Url: [{ prefix: 'http' }],
            Height: [{ numeric: ['>', 124, '<', 126] }],
            Width: [{ numeric: ['>=', 99.999, '<=', 100] }],
          },
          Animated: [false],
        },
      },
    ],
    [
      { Image: { Width: [{ numeric: ['<', 800] }] } },
      { Image: { Height: [{ numeric: ['<', 599] }] } },
      { Image: { Title: [{ 'anything-but': 'View from 15th Floor' }] } },
      { Image: { Thumbnail: { Url: [{ prefix: 'https' }] } } },
      { Image: { Thumbnail: { Height: [{ numeric: ['>', 124, '<', 125] }] } } },
      { Image: { Thumbnail: { Width: [{ numeric: ['>=', 100.00001, '<=', 1001] }] } } },
      { Image: { Animated: [true] } },
    ],
  ],
  [
    'RulerTest, WHEN_JSONContainsArrays_THEN_RulerNoCompileMatchesWork',
    ARRAYS,
    [
      { employees: { firstName: ['Anna'] } },
      { employees: { firstName: ['John'], ids: [1000] } },
      { employees: { firstName: ['Anna'], ids: [{ exists: false }] } },
    ],
    [
      { employees: { firstName: ['Alice'] } },
      { employees: { firstName: ['Anna'], lastName: ['Jones'] } },
      { employees: { firstName: ['Alice'], lastName: ['Bob'] } },
      { a: ['b'] },
      { employees: ['b'] },
      { employees: { firstName: ['Anna'], ids: [1000] } },
      { employees: { firstName: ['Anna'], ids: [{ exists: true }] } },
    ],
  ],
  [
    'RulerTest, WHEN_WeTryToMatchExistsRules_THEN_TheyWork (1)',
    { a: 1 },
    [{ a: [{ exists: true }] }, { b: [{ exists: false }] }, { x: [{ exists: false }] }],
    [{ x: [{ exists: true }] }],
  ],
  [
    'RulerTest, WHEN_WeTryToMatchExistsRules_THEN_TheyWork (2)',
    { b: 2 },
    [{ x: [{ exists: false }] }],
    [{ a: [{ exists: true }] }, { b: [{ exists: false }] }, { x: [{ exists: true }] }],
  ],
  [
    'RulerTest, WHEN_WeTryReallySimpleRules_THEN_TheyWork',
    { x: true },
    [{ x: [true] }],
    [{ a: [1] }, { b: [2] }, { x: ['X'] }],
  ],
  ['ACMachineTest, testACWithExistFalseRule (event 1)', TASKS({}), [ABSENT('interfaceName'), ABSENT('abc')], []],
  [
    'ACMachineTest, testACWithExistFalseRule (event 2)',
    TASKS({ additionalContext: { capabilityInterfaces: [{ interfaceName: 'XXXX.XXXXXXXXXXXXXX' }] } }),
    [ABSENT('abc')],
    [ABSENT('interfaceName')],
  ],
  [
    'README, "Exists matching": it works on leaf nodes alone',
    { detail: { 'c-count': { c1: 100 } } },
    [{ detail: { 'c-count': [{ exists: false }] } }],
    [{ detail: { 'c-count': [{ exists: true }] } }],
  ],
  [
    'test/data/arrayEvent3.json, arrayRule3.json',
    {
      metrics: [
        { metricName: 'CPUUtilization', namespace: 'AWS/EC2' },
        { metricName: 'RequestCount', namespace: 'AWS/ES' },
      ],
    },
    [{ metrics: { metricName: ['CPUUtilization'], namespace: ['AWS/EC2'] } }],
    [{ metrics: { metricName: ['CPUUtilization'], namespace: ['AWS/ES'] } }],
  ],
  [
    'test/data/arrayEvent4.json, arrayRule4.json',
    { metrics: [{ metricName: 'CPUUtilization', namespace: 'AWS/ES' }] },
    [{ metrics: { metricName: ['CPUUtilization', 'ReadLatency'], namespace: ['AWS/EC2', 'AWS/ES'] } }],
    [],
  ],
  [
    'README, "The $or Primitive": choices side by side, and with fields of their own',
    {
      source: 'aws.cloudwatch',
      metricType: 'MetricType',
      namespace: 'AWS/EC2',
      metricId: 1234,
      detail: { source: 'x' },
    },
    [
      { source: ['aws.cloudwatch'], $or: [{ metricName: ['CPUUtilization'] }, { namespace: ['AWS/EC2', 'AWS/ES'] }] },
      {
        source: ['aws.cloudwatch'],
        $or: [
          { metricName: ['CPUUtilization'] },
          {
            metricType: ['MetricType'],
            namespace: ['AWS/EC2'],
            $or: [{ metricId: [1234] }, { spaceId: [1000] }],
          },
          { scope: ['Service'] },
        ],
      },
    ],
    [
      {
        $or: [{ metricName: ['CPUUtilization'] }, { namespace: ['AWS/EC2'] }],
        detail: { $or: [{ source: ['aws.cloudwatch'] }, { 'detail-type': ['CloudWatch Alarm State Change'] }] },
      },
      { source: ['aws.ec2'], $or: [{ metricName: ['CPUUtilization'] }, { namespace: ['AWS/EC2'] }] },
    ],
  ],
  [
    'test/data/normalRulesWithOrWording.json: with an operator in it, `$or` is the name of a field',
    { $or: '10.0.0.33', detail: { $or: 12 } },
    [{ $or: [{ cidr: '10.0.0.0/24' }] }, { detail: { $or: [{ numeric: ['>', 0, '<=', 5] }, { numeric: ['>', 10] }] } }],
    [{ $or: [{ cidr: '11.0.0.0/24' }] }, { detail: { $or: [{ numeric: ['>', 0, '<=', 5] }] } }],
  ],
  [
    'CIDRTest, TestCorrectRanges: a network may be named by any of its addresses',
    { four: '54.240.196.7', six: '2400:6500:FF00::36FB:1FBF' },
    [{ four: [{ cidr: '54.240.196.171/24' }] }, { six: [{ cidr: '2400:6500:FF00::36FB:1F80/122' }] }],
    [
      { four: [{ cidr: '54.240.197.171/24' }] },
      { six: [{ cidr: '2400:6500:FF00::36FB:1FC0/122' }] },
      { four: [{ cidr: '::1/0' }] },
    ],
  ],
])('%s', (_, event, matching, others) => {
  for (const pattern of matching) expect(matches(pattern, event), JSON.stringify(pattern)).toBe(true);
  for (const pattern of others) expect(matches(pattern, event), JSON.stringify(pattern)).toBe(false);
});

const plain = { n: 'nomatch', o: 'nomatch', p: 'nomatch' };
const a = (...values: readonly unknown[]) => values.map((value) => ({ a: value }));

/** One pattern, the events that it matches, and events that it doesn't. */
test.each<[string, Pattern, readonly object[], readonly object[]]>([
  [
    'RulerTest, WHEN_WeTryAnythingButRules_THEN_Theywork',
    {
      a: [{ 'anything-but': ['dad0', 'dad1', 'dad2'] }],
      b: [{ 'anything-but': [111, 222, 333] }],
      c: [{ 'anything-but': 'zdd' }],
      d: [{ 'anything-but': 444 }],
      z: [{ numeric: ['>', 0, '<', 1] }],
      w: [{ 'anything-but': { prefix: 'zax' } }],
      n: [{ 'anything-but': { suffix: 'ing' } }],
      o: [{ 'anything-but': { 'equals-ignore-case': 'CamelCase' } }],
      p: [{ 'anything-but': { 'equals-ignore-case': ['CamelCase', 'AbC'] } }],
    },
    [{ a: 'child1', b: '444', c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain }],
    [
      { a: 'dad789', b: 789, c: 'zdd', d: 123, w: 'xaz', z: 0.001, ...plain },
      { a: 'dad789', b: 789, c: 'child1', d: 123, w: 'xaz', z: 1.01, ...plain },
      { a: 'dad1', b: 345, c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain },
      { a: 'abc', b: 111, c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain },
      { a: 'dad1', b: 333, c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain },
      { a: 'abc', b: 0, c: 'child1', d: 444, w: 'xaz', z: 0.999999, ...plain },
      { a: 'child1', b: '444', c: 'child1', d: 123, w: 'zaxonie', z: 0.001, ...plain },
      { a: 'child1', b: '444', c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain, n: 'matching' },
      { a: 'child1', b: '444', c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain, o: 'camelcase' },
      { a: 'child1', b: '444', c: 'child1', d: 123, w: 'xaz', z: 0.001, ...plain, p: 'abc' },
    ],
  ],
  [
    'RulerTest, WHEN_WeTryEqualsIgnoreCaseRules_THEN_TheyWork',
    {
      a: [{ 'equals-ignore-case': 'aBc' }],
      b: [{ 'equals-ignore-case': 'Def' }],
      c: [{ 'equals-ignore-case': 'xyZ' }],
    },
    [{ a: 'ABC', b: 'def', c: 'xYz', d: 'rst' }],
    [
      { a: 'ABC', b: 'defx', c: 'xYz', d: 'rst' },
      { a: 'ABC', c: 'xYz', d: 'rst' },
      { a: 'ABC', b: 'xYz', c: 'def', d: 'rst' },
    ],
  ],
  [
    'RulerTest, WHEN_WeTryWildcardRules_THEN_TheyWork',
    { a: [{ wildcard: '*bc' }], b: [{ wildcard: 'd*f' }], c: [{ wildcard: 'xy*' }], d: [{ wildcard: 'xy*' }] },
    [{ a: 'abcbc', b: 'deeeef', c: 'xy', d: 'xyzzz' }],
    [
      { a: 'abcbc', b: 'deeeefx', c: 'xy', d: 'xyzzz' },
      { a: 'abcbc', b: 'deeeef', d: 'xyzzz' },
      { a: 'abcbc', b: 'xy', c: 'deeeef', d: 'xyzzz' },
    ],
  ],
  [
    'README, "Wildcard matching": escapes of the star and of the backslash',
    { a: [{ wildcard: 'a\\*b\\\\c*' }] },
    a('a*b\\c', 'a*b\\cd'),
    a('axb\\c', 'a*bc', 5),
  ],
  [
    'README, "Wildcard matching": an escaped star between two wildcards',
    { a: [{ wildcard: 'a*\\**' }] },
    a('ax*y', 'a*'),
    a('axy'),
  ],
  [
    'ACMachineTest, testAnythingButPrefixSet',
    { a: [{ 'anything-but': { prefix: ['$', '%'] } }] },
    a('value$', 'notvalue%'),
    a('$notvalue', '%notvalue'),
  ],
  [
    'ACMachineTest, testAnythingButSuffix',
    { a: [{ 'anything-but': { suffix: '$' } }] },
    a('notvalue', '$notvalue'),
    a('value$'),
  ],
  [
    'ACMachineTest, testAnythingButSuffixSet',
    { a: [{ 'anything-but': { suffix: ['$', '%'] } }] },
    a('$notvalue', '%notvalue'),
    a('value$', 'notvalue%'),
  ],
  [
    'ACMachineTest, testAnythingButEqualsIgnoreCase',
    {
      a: [{ 'anything-but': { 'equals-ignore-case': ['yes', 'please'] } }],
      b: [{ 'anything-but': { 'equals-ignore-case': 'no' } }],
    },
    [{ a: 'value', b: 'nothing' }],
    [
      ...['YES', 'yEs', 'pLease', 'PLEASE', 'please'].map((value) => ({ a: value, b: 'nothing' })),
      ...['no', 'No', 'No!'].map((value) => ({ a: 'please', b: value })),
    ],
  ],
  [
    'ACMachineTest, testAnythingButWildcard',
    { a: [{ 'anything-but': { wildcard: '*foo*' } }] },
    a('barfobarobar'),
    a('foo', 'foobar', 'barfoo', 'barfoobar'),
  ],
  [
    'ACMachineTest, testAnythingButWildcardSet',
    { a: [{ 'anything-but': { wildcard: ['*foo*', '*bar*'] } }] },
    a('fobaor'),
    a('foo', 'foos', 'sfoo', 'sfoos', 'bar', 'bars', 'sbar', 'sbars'),
  ],
  ['ACMachineTest, testExists', { abc: [{ exists: false }] }, [{ xyz: 'abc' }], [{ abc: 'xyz' }]],
  ['RuleCompilerTest, "exactly"', { a: [{ exactly: 'b' }] }, a('b'), a('c')],
])('%s', (_, pattern, matching, others) => {
  for (const event of matching) expect(matches(pattern, event), JSON.stringify(event)).toBe(true);
  for (const event of others) expect(matches(pattern, event), JSON.stringify(event)).toBe(false);
});

const EXISTS = [{ exists: true }];

/**
 * src/test/resources/correctness-cases.json, on which StructuredFinderTest compares Ruler's two algorithms; what both
 * answer is in the cases' names.
 */
test.each<[string, Pattern, object, boolean]>([
  ['flat: 2-field exists, one missing', { d: { a: EXISTS, b: EXISTS } }, { d: { a: 1 } }, false],
  ['objarray: same element', { d: { a: EXISTS, b: EXISTS } }, { d: [{ a: 1, b: 2 }] }, true],
  ['objarray: split', { d: { a: EXISTS, b: EXISTS } }, { d: [{ a: 1 }, { b: 2 }] }, false],
  ['objarray: 3 elem, last valid', { d: { a: EXISTS, b: EXISTS } }, { d: [{ a: 1 }, { b: 2 }, { a: 3, b: 4 }] }, true],
  [
    'objarray: prefix split',
    { d: { name: [{ prefix: 'al' }], status: EXISTS } },
    { d: [{ name: 'alice' }, { status: 'ok' }] },
    false,
  ],
  ['primarray: exact match', { tags: ['admin'] }, { tags: ['user', 'admin'] }, true],
  ['primarray: no match', { tags: ['superadmin'] }, { tags: ['user', 'admin'] }, false],
  [
    'primarray: anything-but in array',
    { d: { tags: [{ 'anything-but': 'banned' }] } },
    { d: { tags: ['banned', 'ok'] } },
    true,
  ],
  ['primarray: empty prim array', { d: { name: EXISTS, type: EXISTS } }, { d: { name: [], type: 'x' } }, false],
  [
    'nested: inner same',
    { u: { t: { k: ['color'], v: ['blue'] } } },
    { u: [{ t: [{ k: 'color', v: 'blue' }] }] },
    true,
  ],
  [
    'nested: inner split',
    { u: { t: { k: ['color'], v: ['blue'] } } },
    { u: [{ t: [{ k: 'color' }, { v: 'blue' }] }] },
    false,
  ],
  [
    'nested: outer same',
    { d: { name: EXISTS, info: { x: ['1'] } } },
    { d: [{ name: 'alice', info: { x: '1' } }] },
    true,
  ],
  [
    'nested: outer split',
    { d: { name: EXISTS, info: { x: ['1'] } } },
    { d: [{ name: 'alice' }, { info: { x: '1' } }] },
    false,
  ],
  [
    'mixed: array+scalar match',
    { users: { name: EXISTS }, version: ['1'] },
    { users: [{ name: 'alice' }], version: '1' },
    true,
  ],
  [
    'mixed: array+scalar fail',
    { users: { name: EXISTS }, version: ['2'] },
    { users: [{ name: 'alice' }], version: '1' },
    false,
  ],
  ['exists-false: absent', { d: { a: EXISTS, b: [{ exists: false }] } }, { d: [{ a: 1 }] }, true],
  ['exists-false: present', { d: { a: EXISTS, b: [{ exists: false }] } }, { d: [{ a: 1, b: 2 }] }, false],
  ['empty object', { d: { a: EXISTS } }, {}, false],
  ['empty array', { d: { a: EXISTS } }, { d: [] }, false],
  [
    'many elem one valid',
    { d: { a: ['target'], b: ['found'] } },
    { d: [{ a: 'x' }, { a: 'y' }, { a: 'target', b: 'found' }, { a: 'z' }] },
    true,
  ],
  [
    'numeric+exists array',
    { i: { p: [{ numeric: ['>', 0, '<', 100] }], n: EXISTS } },
    {
      i: [
        { n: 'w', p: 50 },
        { n: 'g', p: 200 },
      ],
    },
    true,
  ],
  [
    'mixed: obj-array split + prim-array',
    { users: { name: EXISTS, email: EXISTS }, tags: ['admin'] },
    { users: [{ name: 'alice' }, { email: 'b@x' }], tags: ['admin'] },
    false,
  ],
  [
    'suffix match split',
    { d: { name: [{ suffix: 'ice' }], type: EXISTS } },
    { d: [{ name: 'alice' }, { type: 'user' }] },
    false,
  ],
])('correctness-cases.json, %s', (_, pattern, event, fits) => {
  expect(matches(pattern, event)).toBe(fits);
});
