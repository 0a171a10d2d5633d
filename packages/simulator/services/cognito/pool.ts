import { createHmac } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { Refused } from '../../wire/operation.js';
import { type Claims, decodeToken, isSignedBy } from './jwt.js';
import { publicKeys, signToken } from './signing-key.js';
import { checkPassword, type Group, type PasswordPolicy, type User, type UserStatus } from './users.js';

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };
/** Scope of a token of a user who signs in by the API. Amazon Cognito, "Understanding the access token". */
const OWN_SCOPE = 'aws.cognito.signin.user.admin';

/** An app client of a pool. */
export class PoolClient {
  constructor(readonly resource: Resource) {}

  get id(): string {
    return this.resource.ref;
  }

  /** `undefined` if it has none. */
  get secret(): string | undefined {
    return this.resource.properties.GenerateSecret === true ? this.resource.attributes.ClientSecret : undefined;
  }

  /** Scopes that it may ask for at the token endpoint. */
  get scopes(): readonly string[] {
    return ((this.resource.properties.AllowedOAuthScopes ?? []) as readonly string[]).map(String);
  }

  /** Whether it may use a flow: `ALLOW_USER_PASSWORD_AUTH`. */
  allows(flow: string): boolean {
    return ((this.resource.properties.ExplicitAuthFlows ?? []) as readonly string[]).includes(flow);
  }

  /** Returns the seconds for which a kind of token is valid. */
  validity(kind: 'AccessToken' | 'IdToken' | 'RefreshToken'): number {
    const { TokenValidityUnits = {}, [`${kind}Validity`]: value } = this.resource.properties;
    const usual = kind === 'RefreshToken' ? 'days' : 'hours';
    const unit = String((TokenValidityUnits as JsonObject)[kind] ?? usual);
    return value === undefined ? (kind === 'RefreshToken' ? 30 * 86_400 : 3_600) : Number(value) * (SECONDS[unit] ?? 1);
  }

  /** @throws {Refused} if the client has a secret, and the request doesn't prove that it knows it */
  checkSecretHash(username: string, hash: unknown): void {
    if (this.secret === undefined) return;
    const expected = createHmac('sha256', this.secret)
      .update(username + this.id)
      .digest('base64');
    if (hash !== expected)
      throw new Refused('NotAuthorizedException', `Unable to verify secret hash for client ${this.id}`);
  }
}

/** A user pool with its users and clients. Amazon Cognito, "Amazon Cognito user pools". */
export class UserPool {
  readonly users = new Map<string, User>();
  readonly groups = new Map<string, Group>();

  constructor(
    readonly resource: Resource,
    readonly clients: readonly PoolClient[],
    readonly issuer: string,
    private readonly world: EventLoop,
  ) {}

  get id(): string {
    return this.resource.ref;
  }

  /** Finds a user by name, or by an attribute that the pool takes for one. */
  findUser(name: unknown): User | undefined {
    const { UsernameAttributes = [], AliasAttributes = [] } = this.resource.properties;
    const others = [UsernameAttributes, AliasAttributes].flat() as readonly string[];
    return (
      this.users.get(String(name)) ??
      [...this.users.values()].find((user) => others.some((other) => user.attributes.get(other) === name))
    );
  }

  /** @throws {Refused} UserNotFoundException */
  userOf(name: unknown): User {
    const user = this.findUser(name);
    if (!user) throw new Refused('UserNotFoundException', 'User does not exist.');
    return user;
  }

  /** @throws {Refused} if there is such a user, or the password is too weak */
  addUser(
    name: string,
    password: string | undefined,
    attributes: ReadonlyMap<string, string>,
    status: UserStatus,
  ): User {
    if (this.findUser(name))
      throw new Refused(
        'UsernameExistsException',
        status === 'UNCONFIRMED' ? 'User already exists' : 'User account already exists',
      );
    if (password !== undefined) this.checkPassword(password);
    const names = (this.resource.properties.UsernameAttributes ?? []) as readonly string[];
    const sub = this.world.random.id();
    // In a pool whose users sign in by an attribute, a user's name is its sub.
    const [attribute] = names.filter((one) => (one === 'email' ? name.includes('@') : name.startsWith('+')));
    const user: User = {
      username: attribute === undefined ? name : sub,
      sub,
      status,
      enabled: true,
      password,
      attributes: new Map([...(attribute === undefined ? [] : [[attribute, name] as const]), ...attributes]),
      groups: new Set(),
      created: this.world.now,
    };
    this.users.set(user.username, user);
    return user;
  }

  checkPassword(password: string): void {
    const { PasswordPolicy: policy } = (this.resource.properties.Policies ?? {}) as { PasswordPolicy?: PasswordPolicy };
    checkPassword(password, policy);
  }

  /**
   * Issues the tokens of a user who has signed in.
   * @param more claims of groups, and those that a trigger adds or takes away
   * @param origin of the sign-in @param scope of the access token
   */
  issueFor(
    user: User,
    client: PoolClient,
    more: { readonly access: Claims; readonly id: Claims } = { access: {}, id: {} },
    origin = this.world.random.id(),
    scope = OWN_SCOPE,
  ) {
    const iat = Math.floor(this.world.now / 1000);
    const common = {
      sub: user.sub,
      iss: this.issuer,
      origin_jti: origin,
      event_id: this.world.random.id(),
      auth_time: iat,
      iat,
    };
    const jti = (): { jti: string } => ({ jti: this.world.random.id() });
    const own = Object.fromEntries(
      [...user.attributes].map(([name, value]) => [name, /_verified$/.test(name) ? value === 'true' : value]),
    );
    const access = {
      ...common,
      client_id: client.id,
      token_use: 'access',
      scope,
      exp: iat + client.validity('AccessToken'),
      ...jti(),
      username: user.username,
      ...more.access,
    };
    const id = {
      ...common,
      ...own,
      'cognito:username': user.username,
      aud: client.id,
      token_use: 'id',
      exp: iat + client.validity('IdToken'),
      ...jti(),
      ...more.id,
    };
    return {
      AccessToken: signToken(access),
      IdToken: signToken(Object.fromEntries(Object.entries(id).filter(([, value]) => value !== undefined))),
      ExpiresIn: client.validity('AccessToken'),
      TokenType: 'Bearer',
    };
  }

  /** Issues a token of a machine. Amazon Cognito, "Scopes, M2M, and resource servers". */
  issueForClient(client: PoolClient, scopes: readonly string[]): string {
    const iat = Math.floor(this.world.now / 1000);
    return signToken({
      sub: client.id,
      token_use: 'access',
      scope: scopes.join(' '),
      auth_time: iat,
      iss: this.issuer,
      exp: iat + client.validity('AccessToken'),
      iat,
      version: 2,
      jti: this.world.random.id(),
      client_id: client.id,
    });
  }

  /** Reads a token that this pool has issued and that is valid now; `undefined` for any other. */
  readToken(text: string): Claims | undefined {
    const token = decodeToken(text);
    if (!token || !isSignedBy(token, publicKeys())) return undefined;
    const { iss, exp } = token.claims;
    return iss === this.issuer && Number(exp) > this.world.now / 1000 ? token.claims : undefined;
  }
}
