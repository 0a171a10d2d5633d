import type { Assembly } from '../../assembly/assembly.js';
import type { HttpRequest, HttpResponse } from '../../runtime/http.js';
import { NotModelled, type Operation, type Operations, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import { configureGroups, type GroupConfiguration, groupClaims, groupOperations, readGroup } from './groups.js';
import { PoolClient, UserPool } from './pool.js';
import { answerAtPool } from './token-endpoint.js';
import { callTrigger, type TriggerSurroundings } from './triggers.js';
import { readUserFilter } from './user-filter.js';
import { type Attribute, CONFIRMATION_CODE, describeUser, listAttributes, type User } from './users.js';

/**
 * The user pools of an account. Amazon Cognito user pools API Reference, "Actions". Users of a template don't exist: they sign up, or an
 * administrator creates them.
 */
export class UserPools {
  readonly pools: readonly UserPool[];
  /** Domains of pools, by the host name of each. */
  readonly domains: ReadonlyMap<string, UserPool>;

  constructor(
    assembly: Assembly,
    private readonly around: TriggerSurroundings,
  ) {
    const { home, world } = around;
    const clients = assembly.findByType('AWS::Cognito::UserPoolClient').map((one) => new PoolClient(one));
    this.pools = assembly.findByType('AWS::Cognito::UserPool').map((pool) => {
      const own = clients.filter(({ resource }) => resource.properties.UserPoolId === pool.ref);
      return new UserPool(pool, own, `https://cognito-idp.${home.region}.amazonaws.com/${pool.ref}`, world);
    });
    for (const { properties, ref } of assembly.findByType('AWS::Cognito::UserPoolGroup'))
      this.find(properties.UserPoolId)?.groups.set(ref, readGroup({ ...properties, GroupName: ref }, world.now));
    this.domains = new Map(
      assembly.findByType('AWS::Cognito::UserPoolDomain').flatMap(({ properties }) => {
        const pool = this.pools.find(({ id }) => id === properties.UserPoolId);
        return pool ? [[`${String(properties.Domain)}.auth.${home.region}.amazoncognito.com`, pool] as const] : [];
      }),
    );
  }

  /** Finds a pool by its id or its ARN. */
  readonly find = (name: unknown): UserPool | undefined =>
    this.pools.find(({ id, resource }) => id === name || resource.arn === name);

  /**
   * Answers a request that is no call of the API: for keys, or for a token of a client.
   * @returns `undefined` if it is for no pool
   */
  answer(request: HttpRequest): HttpResponse | undefined {
    const path = request.path.split('?')[0] ?? '';
    const domain = this.domains.get(request.host);
    if (domain) return answerAtPool(domain, path, request);
    const [, id, below = '/'] = /^\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    const pool = this.find(id);
    return pool && answerAtPool(pool, below, request);
  }

  /** Operations by their names. */
  readonly operations: Operations = this.awaited({
    SignUp: (input) => this.signUp(input),
    ConfirmSignUp: (input) => this.confirm(input),
    AdminConfirmSignUp: async (input) => {
      const pool = this.poolOf(input);
      await this.confirmed(pool, pool.userOf(input.Username), 'CLIENT_ID_NOT_APPLICABLE');
      return {};
    },
    AdminCreateUser: (input) => this.create(input),
    AdminSetUserPassword: (input) => {
      const pool = this.poolOf(input);
      const user = pool.userOf(input.Username);
      pool.checkPassword(String(input.Password));
      user.password = String(input.Password);
      user.status = input.Permanent === true ? 'CONFIRMED' : 'FORCE_CHANGE_PASSWORD';
      return {};
    },
    AdminUpdateUserAttributes: (input) => {
      const { attributes } = this.poolOf(input).userOf(input.Username);
      for (const [name, value] of readAttributes(input)) attributes.set(name, value);
      return {};
    },
    AdminGetUser: (input) => {
      const user = this.poolOf(input).userOf(input.Username);
      const { Attributes: UserAttributes, ...shown } = describeUser(user);
      return { ...shown, UserAttributes };
    },
    AdminDeleteUser: (input) => {
      const pool = this.poolOf(input);
      pool.users.delete(pool.userOf(input.Username).username);
      return {};
    },
    ListUsers: (input) => {
      const isListed = readUserFilter(input.Filter);
      return { Users: [...this.poolOf(input).users.values()].filter(isListed).map(describeUser) };
    },
    GetUser: ({ AccessToken }) => {
      const [found] = this.pools.flatMap((pool) => {
        const claims = pool.readToken(String(AccessToken));
        return claims?.token_use === 'access' ? (pool.findUser(claims.username) ?? []) : [];
      });
      if (!found) throw new Refused('NotAuthorizedException', 'Invalid Access Token');
      return { Username: found.username, UserAttributes: listAttributes(found) };
    },
    InitiateAuth: (input) => this.signIn(this.clientOf(input), input, 'USER_PASSWORD_AUTH'),
    AdminInitiateAuth: (input) => {
      const pool = this.poolOf(input);
      return this.signIn({ ...this.clientOf(input), pool }, input, 'ADMIN_USER_PASSWORD_AUTH');
    },
    DescribeUserPool: (input) => {
      const { id, resource } = this.poolOf(input);
      return { UserPool: { Id: id, Name: resource.properties.UserPoolName ?? id, Arn: resource.arn } };
    },
    ListUserPools: () => ({
      UserPools: this.pools.map(({ id, resource }) => ({ Id: id, Name: resource.properties.UserPoolName ?? id })),
    }),
    ListUserPoolClients: (input) => {
      const { id, clients } = this.poolOf(input);
      return {
        UserPoolClients: clients.map((client) => ({ ClientId: client.id, UserPoolId: id, ClientName: client.id })),
      };
    },
    DescribeUserPoolClient: (input) => {
      const { id, clients } = this.poolOf(input);
      const client = clients.find((one) => one.id === input.ClientId);
      if (!client)
        throw new Refused('ResourceNotFoundException', `User pool client ${String(input.ClientId)} does not exist.`);
      return { UserPoolClient: { UserPoolId: id, ClientId: client.id, ClientSecret: client.secret } };
    },
    ...groupOperations(
      (input) => this.poolOf(input),
      () => this.around.world.now,
    ),
  });

  /** Lets the world wait for what an operation has left pending: its answer comes by a promise. */
  private awaited(operations: Operations): Operations {
    const wrapped = Object.entries(operations).map(([name, operation]): [string, Operation] => [
      name,
      (input, call) => {
        this.around.world.enter();
        return operation(input, call);
      },
    ]);
    return Object.fromEntries(wrapped);
  }

  /** @throws {Refused} ResourceNotFoundException */
  private poolOf({ UserPoolId }: Input): UserPool {
    const pool = this.find(UserPoolId);
    if (!pool) throw new Refused('ResourceNotFoundException', `User pool ${String(UserPoolId)} does not exist.`);
    return pool;
  }

  /** @throws {Refused} ResourceNotFoundException */
  private clientOf({ ClientId }: Input): { readonly pool: UserPool; readonly client: PoolClient } {
    const [found] = this.pools.flatMap((pool) =>
      pool.clients.filter(({ id }) => id === ClientId).map((client) => ({ pool, client })),
    );
    if (!found) throw new Refused('ResourceNotFoundException', `User pool client ${String(ClientId)} does not exist.`);
    return found;
  }

  private async signUp(input: Input): Promise<object> {
    const { pool, client } = this.clientOf(input);
    const { AllowAdminCreateUserOnly } = (pool.resource.properties.AdminCreateUserConfig ?? {}) as {
      AllowAdminCreateUserOnly?: boolean;
    };
    if (AllowAdminCreateUserOnly === true)
      throw new Refused('NotAuthorizedException', 'SignUp is not permitted for this user pool');
    client.checkSecretHash(String(input.Username), input.SecretHash);
    const user = pool.addUser(String(input.Username), String(input.Password), readAttributes(input), 'UNCONFIRMED');
    await this.preSignUp(pool, user, 'PreSignUp_SignUp', client.id);
    if (user.status === 'CONFIRMED') await this.confirmed(pool, user, client.id);
    return { UserConfirmed: user.status === 'CONFIRMED', UserSub: user.sub };
  }

  /** Lets the function before a sign-up decide; a user that it refuses is none. */
  private async preSignUp(pool: UserPool, user: User, source: string, clientId: string): Promise<void> {
    try {
      const response = await callTrigger(this.around, pool, 'PreSignUp', { source, user, clientId });
      if (response.autoConfirmUser === true && user.status === 'UNCONFIRMED') user.status = 'CONFIRMED';
      if (response.autoVerifyEmail === true) user.attributes.set('email_verified', 'true');
      if (response.autoVerifyPhone === true) user.attributes.set('phone_number_verified', 'true');
    } catch (error) {
      pool.users.delete(user.username);
      throw error;
    }
  }

  private async confirm(input: Input): Promise<object> {
    const { pool, client } = this.clientOf(input);
    client.checkSecretHash(String(input.Username), input.SecretHash);
    const user = pool.userOf(input.Username);
    if (user.status === 'CONFIRMED')
      throw new Refused('NotAuthorizedException', 'User cannot be confirmed. Current status is CONFIRMED');
    if (input.ConfirmationCode !== CONFIRMATION_CODE)
      throw new Refused('CodeMismatchException', 'Invalid verification code provided, please try again.');
    for (const name of (pool.resource.properties.AutoVerifiedAttributes ?? []) as readonly string[])
      user.attributes.set(`${name}_verified`, 'true');
    await this.confirmed(pool, user, client.id);
    return {};
  }

  private async confirmed(pool: UserPool, user: User, clientId: string): Promise<void> {
    user.status = 'CONFIRMED';
    await callTrigger(this.around, pool, 'PostConfirmation', {
      source: 'PostConfirmation_ConfirmSignUp',
      user,
      clientId,
    });
  }

  private async create(input: Input): Promise<object> {
    const pool = this.poolOf(input);
    const password = input.TemporaryPassword === undefined ? undefined : String(input.TemporaryPassword);
    const user = pool.addUser(String(input.Username), password, readAttributes(input), 'FORCE_CHANGE_PASSWORD');
    await this.preSignUp(pool, user, 'PreSignUp_AdminCreateUser', 'CLIENT_ID_NOT_APPLICABLE');
    return { User: describeUser(user) };
  }

  private async signIn(
    { pool, client }: { readonly pool: UserPool; readonly client: PoolClient },
    { AuthFlow, AuthParameters }: Input,
    passwordFlow: string,
  ): Promise<object> {
    const given = (AuthParameters ?? {}) as Readonly<Record<string, string>>;
    if (AuthFlow === 'REFRESH_TOKEN_AUTH' || AuthFlow === 'REFRESH_TOKEN') return this.refresh(pool, client, given);
    if (AuthFlow !== passwordFlow) throw new NotModelled(`signing in by ${String(AuthFlow)}`);
    if (!client.allows(`ALLOW_${passwordFlow}`))
      throw new Refused('InvalidParameterException', `${passwordFlow} flow not enabled for this client`);
    const { USERNAME = '', PASSWORD, SECRET_HASH } = given;
    client.checkSecretHash(USERNAME, SECRET_HASH);
    const user = pool.findUser(USERNAME);
    if (!user || user.password !== PASSWORD || !user.enabled)
      throw new Refused('NotAuthorizedException', 'Incorrect username or password.');
    if (user.status === 'UNCONFIRMED') throw new Refused('UserNotConfirmedException', 'User is not confirmed.');
    if (user.status === 'FORCE_CHANGE_PASSWORD')
      throw new NotModelled('the challenge NEW_PASSWORD_REQUIRED: set a permanent password (AdminSetUserPassword)');
    const tokens = await this.issue(pool, client, user, 'TokenGeneration_Authentication');
    return { AuthenticationResult: { ...tokens, RefreshToken: refreshToken(client, user) }, ChallengeParameters: {} };
  }

  private async refresh(pool: UserPool, client: PoolClient, given: Readonly<Record<string, string>>): Promise<object> {
    const user = [...pool.users.values()].find((one) => refreshToken(client, one) === given.REFRESH_TOKEN);
    if (!user) throw new Refused('NotAuthorizedException', 'Invalid Refresh Token');
    const tokens = await this.issue(pool, client, user, 'TokenGeneration_RefreshTokens');
    return { AuthenticationResult: tokens, ChallengeParameters: {} };
  }

  private async issue(pool: UserPool, client: PoolClient, user: User, source: string) {
    const groups = configureGroups(pool, user);
    const response = await callTrigger(this.around, pool, 'PreTokenGeneration', {
      source,
      user,
      clientId: client.id,
      request: { groupConfiguration: groups },
    });
    const {
      claimsToAddOrOverride = {},
      claimsToSuppress = [],
      groupOverrideDetails,
    } = (response.claimsOverrideDetails ?? {}) as {
      readonly claimsToAddOrOverride?: Readonly<Record<string, string>>;
      readonly claimsToSuppress?: readonly string[];
      readonly groupOverrideDetails?: GroupConfiguration | null;
    };
    const suppressed = Object.fromEntries(claimsToSuppress.map((name) => [name, undefined]));
    // Details that are null or empty take the groups away.
    const { access, id } = groupClaims(groupOverrideDetails === undefined ? groups : (groupOverrideDetails ?? {}));
    return pool.issueFor(user, client, { access, id: { ...id, ...claimsToAddOrOverride, ...suppressed } });
  }
}

/** Refresh tokens are opaque to clients. They don't end here. */
const refreshToken = ({ id }: PoolClient, { sub }: User): string =>
  Buffer.from(`refresh ${id} ${sub}`).toString('base64url');

const readAttributes = ({ UserAttributes }: Input): ReadonlyMap<string, string> =>
  new Map(((UserAttributes ?? []) as readonly Attribute[]).map(({ Name, Value = '' }) => [Name, Value]));
