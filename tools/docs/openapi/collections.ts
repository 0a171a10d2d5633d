import type { Api } from './api.js';
import { STORY } from './examples.js';
import { type Call, memberPath, type Preparation, REFERENCE } from './story.js';

/** Addresses and callers of the collections, as variables. */
const LOCAL = 'http://127.0.0.1:4566/v1';

/** Requests that nobody would send by hand. */
const MOST_PREPARATIONS = 5;

interface Sent extends Pick<Call, 'summary' | 'operation' | 'as' | 'path' | 'query' | 'headers' | 'body'> {
  readonly name?: string;
}

/** Returns the story as single requests, in their order. */
const requests = (): readonly Sent[] =>
  STORY.filter(({ first = [] }) => first.length <= MOST_PREPARATIONS)
    // A body of 64 KB.
    .filter(({ problem }) => problem !== 'too-large')
    .flatMap((call) => [...(call.first ?? []).map((one) => preparing(call, one)), call]);

const preparing = ({ summary }: Call, preparation: Preparation): Sent => ({
  ...preparation,
  summary: `Before: ${summary.slice(0, 1).toLowerCase()}${summary.slice(1)}`,
});

/** Callers that have a token, besides nobody. */
const callers = (): readonly string[] => [
  ...new Set(requests().flatMap(({ as = 'alice' }) => (as === 'nobody' ? [] : as))),
];

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** @param refer writes a reference to an answer in the collection's own way */
function buildRequest(api: Api, sent: Sent, refer: (name: string, member: string, day: boolean) => string): Request {
  const route = api.routes.find(({ route }) => route.id === sent.operation)?.route;
  if (!route) throw new Error(`no route has the id ${sent.operation}`);
  const referred = (text: string) =>
    text.replaceAll(REFERENCE, (_, name: string, member: string, day?: string) =>
      refer(name, member, day !== undefined),
    );
  const { as = 'alice', path = {}, query = {}, headers = {}, body } = sent;
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${referred(value)}`);
  const place = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => referred(path[name] ?? ''));
  return {
    method: route.method,
    url: `{{api}}${place}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`,
    headers: [
      ...(as === 'nobody' ? [] : [['Authorization', `Bearer {{${as}}}`] as const]),
      ...(body === undefined || 'Content-Type' in headers ? [] : [['Content-Type', 'application/json'] as const]),
      ...Object.entries(headers).map(([name, value]) => [name, referred(value)] as const),
    ],
    body: body === undefined ? undefined : referred(JSON.stringify(body, undefined, 2)),
  };
}

const inHttp = (name: string): string => name.replaceAll('-', '_');

/** Generates requests for editors that send them: the REST Client of VS Code, and Visual Studio. */
export function generateHttpFile(api: Api): string {
  const refer = (name: string, member: string, day: boolean) =>
    day ? '{{day}}' : `{{${inHttp(name)}.response.body.$.${memberPath(member)}}}`;
  const texts = requests().map((sent) => {
    const { method, url, headers, body } = buildRequest(api, sent, refer);
    return [
      `### ${sent.summary}`,
      ...(sent.name === undefined ? [] : [`# @name ${inHttp(sent.name)}`]),
      `${method} ${url}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? [] : ['', body]),
    ].join('\n');
  });
  return `${[HTTP_HEAD, ...callers().map((name) => `@${name} = ${tokenOf(name)}`), '', texts.join('\n\n')].join('\n')}\n`;
}

/** Reasons for which a request may get another answer than in the document. */
const NOTES = [
  'A request that reads a result (an approved order) may have to be sent again a second later.',
  'A report exists, and an issued key expires, only when a day is over: npm run orderly -- local forward 2d',
  'The limits of npm start are higher than those of prod: it accepts a large refund.',
];

const HTTP_HEAD = `# The requests of docs/openapi.json, in their order. Made by npm run docs.
# Begin with npm start, and put the token of each caller into its variable:
#   npm run --silent token -- --customer alice
#   npm run --silent token -- --operator
# ${NOTES.join('\n# ')}
@api = ${LOCAL}
@day = {{$datetime 'YYYY-MM-DD'}}`;

const tokenOf = (name: string): string => `token of ${name}`;

const inPostman = (name: string, member: string): string => `${inHttp(name)}_${member.replaceAll('.', '_')}`;

/** Generates a collection for Postman and what reads its format: Bruno, Insomnia, Hoppscotch. Source: Postman Collection Format 2.1.0. */
export function generatePostmanCollection(api: Api): object {
  const kept = new Map<string, Set<string>>();
  const refer = (name: string, member: string, day: boolean) => {
    if (day) return '{{day}}';
    kept.set(name, (kept.get(name) ?? new Set()).add(member));
    return `{{${inPostman(name, member)}}}`;
  };
  const all = requests().map((sent) => [sent, buildRequest(api, sent, refer)] as const);
  const keeping = (name = '') =>
    [...(kept.get(name) ?? [])].map(
      (member) => `pm.collectionVariables.set('${inPostman(name, member)}', pm.response.json().${memberPath(member)});`,
    );
  return {
    info: {
      name: 'Orderly',
      version: api.release,
      description: [
        'The requests of docs/openapi.json, in their order. Set the variables of the callers to their tokens.',
        ...NOTES,
      ].join('\n'),
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'api', value: LOCAL },
      { key: 'day', value: '', description: 'Day of a report, yyyy-mm-dd.' },
      ...callers().map((name) => ({
        key: name,
        value: '',
        description: `npm run --silent token -- ${tokenOption(name)}`,
      })),
    ],
    item: all.map(([sent, { method, url, headers, body }]) => ({
      name: sent.summary,
      request: {
        method,
        url,
        header: headers.map(([key, value]) => ({ key, value })),
        ...(body !== undefined && { body: { mode: 'raw', raw: body } }),
      },
      ...(keeping(sent.name).length > 0 && {
        event: [{ listen: 'test', script: { type: 'text/javascript', exec: keeping(sent.name) } }],
      }),
    })),
  };
}

const tokenOption = (name: string): string => (name === 'operator' ? '--operator' : `--customer ${name}`);
