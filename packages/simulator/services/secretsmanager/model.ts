import type { Resource } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { Random } from '../../engine/random.js';
import { type Operations, paginate, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';

/** A version of a secret. */
interface Version {
  readonly id: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Secret {
  readonly arn: string;
  readonly name: string;
  /** Oldest first; the newest one is current. */
  readonly versions: Version[];
}

const PAGE = 100;
/** AWS Secrets Manager API Reference, "GetRandomPassword": characters of each kind, and the usual length. */
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const USUAL_LENGTH = 32;

/** "What's in a Secrets Manager secret?": six characters, which AWS appends to the name in an ARN. */
const SUFFIX_LENGTH = 6;

/** Secrets of the templates, and those that callers create. AWS Secrets Manager API Reference, "Actions". None is rotated or deleted here. */
export class Secrets {
  private readonly secrets: Secret[];
  private readonly random: Random;

  constructor(
    resources: readonly Resource[],
    private readonly world: EventLoop,
    private readonly home: AccountAndRegion,
  ) {
    this.random = world.random.fork('secrets');
    this.secrets = resources.map(({ arn, properties }) => {
      const { SecretString, GenerateSecretString, Name } = properties;
      const text =
        SecretString === undefined
          ? generate((GenerateSecretString ?? {}) as JsonObject, this.random)
          : String(SecretString);
      const name = String(Name ?? nameIn(arn).replace(/^.*:secret:/, ''));
      return { arn, name, versions: [this.version(text)] };
    });
  }

  /** Returns the current value of a secret; `undefined` if there is no such secret. @param id its name, or all or a part of its ARN */
  read(id: string): string | undefined {
    return this.find(id)?.versions.at(-1)?.text;
  }

  /** Returns the ARN of a secret, as permissions name it. */
  arnOf(id: string): string {
    return this.find(id)?.arn ?? id;
  }

  readonly operations: Operations = {
    GetSecretValue: (input) => {
      const secret = this.get(input);
      const { VersionId, VersionStage = 'AWSCURRENT' } = input;
      const version =
        VersionId === undefined
          ? secret.versions.at(VersionStage === 'AWSPREVIOUS' ? -2 : -1)
          : secret.versions.find(({ id }) => id === VersionId);
      if (!version || !['AWSCURRENT', 'AWSPREVIOUS'].includes(String(VersionStage)))
        throw notFound("Secrets Manager can't find the specified secret value.");
      return {
        ARN: secret.arn,
        Name: secret.name,
        VersionId: version.id,
        SecretString: version.text,
        VersionStages: stagesOf(secret, version),
        CreatedDate: toSeconds(version.at),
      };
    },
    CreateSecret: (input) => {
      const name = String(input.Name);
      const known = this.find(name);
      // "CreateSecret", `ClientRequestToken`: the same request again is no error.
      if (known && !known.versions.some(({ id }) => id === input.ClientRequestToken))
        throw new Refused('ResourceExistsException', `The operation failed because the secret ${name} already exists.`);
      const secret = known ?? { arn: this.makeArn(name), name, versions: [] };
      if (!known) this.secrets.push(secret);
      return this.put(secret, input);
    },
    PutSecretValue: (input) => {
      const secret = this.get(input);
      const answer = this.put(secret, input);
      const version = secret.versions.find(({ id }) => id === answer.VersionId);
      return { ...answer, VersionStages: version ? stagesOf(secret, version) : [] };
    },
    DescribeSecret: (input) => describe(this.get(input)),
    ListSecrets: ({ NextToken, MaxResults = PAGE }) => {
      const { page, next } = paginate(this.secrets, NextToken, Number(MaxResults));
      return { SecretList: page.map(describe), ...(next !== undefined && { NextToken: next }) };
    },
  };

  /** Stores a version. @throws {Refused} */
  private put({ arn, name, versions }: Secret, { ClientRequestToken, SecretString }: Input) {
    const known = versions.find(({ id }) => id === ClientRequestToken);
    // "PutSecretValue", `ClientRequestToken`: the same value again is the same version, another one is refused.
    if (known && known.text !== SecretString)
      throw new Refused('ResourceExistsException', 'A version with this token and another value exists.');
    const version = known ?? this.version(String(SecretString), ClientRequestToken);
    if (!known) versions.push(version);
    return { ARN: arn, Name: name, VersionId: version.id };
  }

  private makeArn(name: string): string {
    const suffix = Array.from({ length: SUFFIX_LENGTH }, () => this.random.pick([...LOWER])).join('');
    return this.home.arn('secretsmanager', `secret:${name}-${suffix}`);
  }

  private version(text: string, id: unknown = this.random.id()): Version {
    return { id: String(id), text, at: this.world.now };
  }

  private find(id: string): Secret | undefined {
    return this.secrets.find(({ arn, name }) => arn === id || name === id || nameIn(arn) === id);
  }

  private get({ SecretId }: Input): Secret {
    const found = this.find(String(SecretId));
    if (!found) throw notFound("Secrets Manager can't find the specified secret.");
    return found;
  }
}

/** Returns an ARN without the characters that AWS appends. */
const nameIn = (arn: string): string => arn.slice(0, -SUFFIX_LENGTH - 1);

const notFound = (message: string): Refused => new Refused('ResourceNotFoundException', message);

function stagesOf({ versions }: Secret, version: Version): readonly string[] {
  if (version === versions.at(-1)) return ['AWSCURRENT'];
  return version === versions.at(-2) ? ['AWSPREVIOUS'] : [];
}

const describe = (secret: Secret): object => ({
  ARN: secret.arn,
  Name: secret.name,
  CreatedDate: toSeconds(secret.versions[0]?.at ?? 0),
  VersionIdsToStages: Object.fromEntries(
    secret.versions.slice(-2).map((version) => [version.id, stagesOf(secret, version)]),
  ),
});

/** AWS CloudFormation, "AWS::SecretsManager::Secret GenerateSecretString": a password, alone or in a JSON object. */
function generate(rules: JsonObject, random: Random): string {
  const kinds = [
    rules.ExcludeLowercase === true ? '' : LOWER,
    rules.ExcludeUppercase === true ? '' : LOWER.toUpperCase(),
    rules.ExcludeNumbers === true ? '' : DIGITS,
    rules.ExcludePunctuation === true ? '' : PUNCTUATION,
    rules.IncludeSpace === true ? ' ' : '',
  ].map((kind) => [...kind].filter((one) => !String(rules.ExcludeCharacters ?? '').includes(one)));
  const included = kinds.filter((kind) => kind.length > 0);
  const length = Number(rules.PasswordLength ?? USUAL_LENGTH);
  // One of each kind first, in the order of the kinds: nobody guesses passwords in a history.
  const password = Array.from({ length }, (_, at) => random.pick(included[at] ?? included.flat())).join('');
  const { SecretStringTemplate, GenerateStringKey } = rules;
  if (SecretStringTemplate === undefined) return password;
  const template = JSON.parse(String(SecretStringTemplate)) as JsonObject;
  return JSON.stringify({ ...template, [String(GenerateStringKey)]: password });
}
