import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEMOS as demos } from '../../tools/local/demos/demos.js';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Words by which the reader of a text searches, by the section that must have them. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  '1. Deduplicating domain events': [
    'domain event',
    'EventRepository',
    'MemoryEventRepository',
    'SpringEventBus',
    'idempotency table',
    'purge',
  ],
  '2. Idempotent receiver': ['MessageReceiver', 'MessageDB', 'session', 'last access', 'hash', 'in memory'],
  '3. Subscribing to events, publishing atomically': [
    'integration event',
    'event bus',
    'RabbitMQ',
    'IntegrationEventLog',
    'outbox',
    'published',
    'polling',
    'log tailing',
    'checker',
    'redelivered flag',
    'two-phase commit',
    '2PC',
    'CAP theorem',
    'log mining',
  ],
  '4. Inbox': [
    'SINGLE',
    'SEQUENTIAL',
    'BATCH',
    'InboxTopic',
    'InboxEventData',
    'Notification',
    'SENT',
    'executeAt',
    'failedReasons',
    'baseRetryIn',
    'ShedLock',
    'fencing token',
  ],
  '5. Event sourcing with sagas': [
    'aggregate',
    'process(command)',
    'apply(event)',
    'EVENTS table',
    'ENTITIES table',
    'SNAPSHOTS table',
    'triggering_event',
    'upcaster',
    'PROCESSED_MESSAGES',
    'pseudo-event',
    'SagaReplyRequested',
    'choreography',
    'AccountDisabledReply',
    'temporal query',
    'CQRS',
    'soft delete',
    'GDPR',
  ],
};

/** Demos that the page names: each of the texts' examples is one command. */
const DEMOS = demos.map(({ name }) => name);
/** The field's words that a newcomer looks for on the first page. */
const FIRST_PAGE = [
  ...['event sourcing', 'event store', 'event bus', 'transactional outbox', 'inbox', 'idempotent receiver', 'saga'],
  ...['idempotent consumer', 'snapshot', 'upcasting', 'crypto-shredding', 'domain event'],
];
/** Lines that are still about one screen. */
const SCREEN = 60;

const page = textOf('docs/patterns.md');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

describe('docs/patterns.md', () => {
  test('docs/patterns.md is the first page of the table of pages in README', () => {
    const [, first] = textOf('README.md').split('| you want to | read |\n|---|---|\n');
    expect(first?.split('\n')[0]).toContain('](docs/patterns.md)');
  });

  test("README's page has the words of docs/patterns.md, too", () => {
    const first = textOf('README.md').replaceAll(/\s+/g, ' ').toLowerCase();
    expect(FIRST_PAGE.filter((word) => !first.includes(word))).toEqual([]);
  });

  test('docs/patterns.md has a section for each text', () => expect([...sections.keys()]).toEqual(Object.keys(WORDS)));

  test.each(Object.entries(WORDS))('%s: has the words of its text, and each part', (name, words) => {
    const section = sections.get(name) ?? '';
    const text = section.replaceAll(/\s+/g, ' ').toLowerCase();
    expect(words.filter((word) => !text.includes(word.toLowerCase()))).toEqual([]);
    for (const part of [
      'The problem.',
      'Demo.',
      'Code.',
      'Different, and why',
      'When to take something else.',
      'Source.',
    ])
      expect(section).toContain(`**${part}**`);
    expect(section).toContain('\n| in the text | here |\n');
    expect(section.trimEnd().split('\n').length).toBeLessThanOrEqual(SCREEN);
  });

  test('names the demos', () => {
    const named = [...page.matchAll(/`(?:npm run demo )?([a-z]+)`/g)].map(([, demo]) => demo);
    expect(DEMOS.filter((demo) => !named.includes(demo))).toEqual([]);
    const commands = [...page.matchAll(/`npm run demo ([a-z]+)`/g)].map(([, demo]) => demo);
    expect(commands.filter((demo) => !DEMOS.includes(demo ?? ''))).toEqual([]);
  });
});
