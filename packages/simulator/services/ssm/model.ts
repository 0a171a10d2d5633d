import type { Resource } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';

/** A parameter as it is stored. */
export interface Parameter {
  readonly Name: string;
  readonly Type: string;
  readonly Value: string;
  readonly Version: number;
  readonly Description: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const PAGE = 10;

/**
 * Parameters of templates, and those that callers put. AWS Systems Manager API Reference, "Actions". A
 * `SecureString` is encrypted by a key of AWS, so reading it needs no other right.
 */
export class Parameters {
  private readonly byName = new Map<string, Parameter>();

  constructor(
    private readonly world: EventLoop,
    private readonly home: AccountAndRegion,
    templates: readonly Resource[] = [],
  ) {
    for (const { ref, properties } of templates) this.put({ ...properties, Name: ref });
  }

  /** Returns the value of a parameter; `undefined` if there is none. */
  read(name: string): string | undefined {
    return this.byName.get(name)?.Value;
  }

  /** Takes parameters over from another time of this account. */
  resume(parameters: readonly Parameter[]): void {
    for (const parameter of parameters) this.byName.set(parameter.Name, parameter);
  }

  /** Operations by their names. */
  readonly operations: Operations = {
    PutParameter: (input) => this.put(input),
    GetParameter: (input) => {
      const name = String(input.Name);
      const found = this.byName.get(name);
      if (!found) throw notFound(name);
      return { Parameter: shown(found, input, this.home) };
    },
    GetParameters: (input) => {
      const names = input.Names as readonly string[];
      const found = names.flatMap((name) => this.byName.get(name) ?? []);
      return {
        Parameters: found.map((parameter) => shown(parameter, input, this.home)),
        InvalidParameters: names.filter((name) => !this.byName.has(name)),
      };
    },
    GetParametersByPath: (input) => {
      const path = String(input.Path).replace(/\/?$/, '/');
      const below = this.all().filter(
        ({ Name }) => Name.startsWith(path) && (input.Recursive === true || !Name.slice(path.length).includes('/')),
      );
      const { page, next } = paginate(below, input.NextToken, Number(input.MaxResults ?? PAGE));
      return { Parameters: page.map((parameter) => shown(parameter, input, this.home)), NextToken: next };
    },
    DescribeParameters: (input) => {
      const { page, next } = paginate(this.all(), input.NextToken, Number(input.MaxResults ?? PAGE));
      const described = page.map(({ Name, Type, Version, Description, at }) => ({
        Name,
        ARN: arnOf(Name, this.home),
        Type,
        Version,
        Description,
        LastModifiedDate: at / 1000,
        Tier: 'Standard',
        DataType: 'text',
      }));
      return { Parameters: described, NextToken: next };
    },
    DeleteParameter: ({ Name }) => {
      if (!this.byName.delete(String(Name))) throw notFound(String(Name));
      return {};
    },
  };

  private put({ Name, Type = 'String', Value, Overwrite, Description }: Input): object {
    const name = String(Name);
    const earlier = this.byName.get(name);
    if (earlier && Overwrite !== true)
      throw new Refused(
        'ParameterAlreadyExists',
        'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
      );
    const Version = (earlier?.Version ?? 0) + 1;
    this.byName.set(name, {
      Name: name,
      Type: String(earlier?.Type ?? Type),
      Value: String(Value),
      Version,
      Description: Description === undefined ? earlier?.Description : String(Description),
      at: this.world.now,
    });
    return { Version, Tier: 'Standard' };
  }

  /** Returns all parameters, in the order of their names. */
  all(): readonly Parameter[] {
    return [...this.byName.values()].sort(({ Name: one }, { Name: other }) => (one < other ? -1 : 1));
  }
}

/** Returns the resource of a parameter in permissions. */
export const arnOf = (name: string, home: AccountAndRegion): string =>
  home.arn('ssm', `parameter/${name.replace(/^\//, '')}`);

const notFound = (name: string): Refused => new Refused('ParameterNotFound', `Parameter ${name} not found.`);

function shown(
  { Name, Type, Value, Version, at }: Parameter,
  { WithDecryption }: Input,
  home: AccountAndRegion,
): object {
  const isHidden = Type === 'SecureString' && WithDecryption !== true;
  return {
    Name,
    Type,
    Value: isHidden ? 'encrypted' : Value,
    Version,
    LastModifiedDate: at / 1000,
    ARN: arnOf(Name, home),
    DataType: 'text',
  };
}
