import type { Resource } from '../../assembly/assembly.js';
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
  readonly resource: Resource;
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

/** Secrets of the templates. AWS Secrets Manager API Reference, "Actions". None is rotated or deleted here. */
export class Secrets {
  private readonly secrets: readonly Secret[];
  private readonly random: Random;

  constructor(
    resources: readonly Resource[],
    private readonly world: EventLoop,
  ) {
    this.random = world.random.fork('secrets');
    this.secrets = resources.map((resource) => {
      const { SecretString, GenerateSecretString, Name } = resource.properties;
      const text =
        SecretString === undefined
          ? generate((GenerateSecretString ?? {}) as JsonObject, this.random)
          : String(SecretString);
      const name = String(Name ?? resource.arn.replace(/^.*:secret:/, '').slice(0, -7));
      return { resource, name, versions: [this.version(text)] };
    });
  }

  /** Returns the current value of a secret; `undefined` if there is no such secret. @param id its name, or all or a part of its ARN */
  read(id: string): string | undefined {
    return this.find(id)?.versions.at(-1)?.text;
  }

  /** Returns the ARN of a secret, as permissions name it. */
  arnOf(id: string): string {
    return this.find(id)?.resource.arn ?? id;
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
        ARN: secret.resource.arn,
        Name: secret.name,
        VersionId: version.id,
        SecretString: version.text,
        VersionStages: stagesOf(secret, version),
        CreatedDate: toSeconds(version.at),
      };
    },
    PutSecretValue: (input) => {
      const secret = this.get(input);
      const { ClientRequestToken, SecretString } = input;
      const known = secret.versions.find(({ id }) => id === ClientRequestToken);
      // "PutSecretValue", `ClientRequestToken`: the same value again is the same version, another one is refused.
      if (known && known.text !== SecretString)
        throw new Refused('ResourceExistsException', 'A version with this token and another value exists.');
      const version = known ?? this.version(String(SecretString), ClientRequestToken);
      if (!known) secret.versions.push(version);
      return {
        ARN: secret.resource.arn,
        Name: secret.name,
        VersionId: version.id,
        VersionStages: stagesOf(secret, version),
      };
    },
    DescribeSecret: (input) => describe(this.get(input)),
    ListSecrets: ({ NextToken, MaxResults = PAGE }) => {
      const { page, next } = paginate(this.secrets, NextToken, Number(MaxResults));
      return { SecretList: page.map(describe), ...(next !== undefined && { NextToken: next }) };
    },
  };

  private version(text: string, id: unknown = this.random.id()): Version {
    return { id: String(id), text, at: this.world.now };
  }

  private find(id: string): Secret | undefined {
    return this.secrets.find(
      ({ resource, name }) => resource.arn === id || name === id || resource.arn.slice(0, -7) === id,
    );
  }

  private get({ SecretId }: Input): Secret {
    const found = this.find(String(SecretId));
    if (!found) throw notFound("Secrets Manager can't find the specified secret.");
    return found;
  }
}

const notFound = (message: string): Refused => new Refused('ResourceNotFoundException', message);

function stagesOf({ versions }: Secret, version: Version): readonly string[] {
  if (version === versions.at(-1)) return ['AWSCURRENT'];
  return version === versions.at(-2) ? ['AWSPREVIOUS'] : [];
}

const describe = (secret: Secret): object => ({
  ARN: secret.resource.arn,
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
