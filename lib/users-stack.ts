import type { PersonalKeys } from '@orderly/kit/constructs';
import { addPeopleIndex, type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { usersContract } from '../lambdas/users/contract.js';
import { USER } from '../lambdas/users/keys.js';
import * as routes from '../lambdas/users/routes.js';

const USERS = aggregateKeyPrefix(USER);

export interface UsersStackProps extends EnvironmentProps {
  readonly personalKeys: PersonalKeys;
}

/** Service `users`: customers read and change their personal data and have it deleted; operators set their status. */
export class UsersStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: UsersStackProps) {
    const name = usersContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;
    addPeopleIndex(table);

    const getMe = service.addEndpoint('GetMe', routes.getMe, 'users/get-me');
    const getUser = service.addEndpoint('GetUser', routes.getUser, 'users/get-user');
    for (const handler of [getMe, getUser]) {
      handler.grantItems(table, ['GetItem'], USERS);
      props.personalKeys.grantDecrypt(handler);
    }

    const patchMe = service.addEndpoint('PatchMe', routes.patchMe, 'users/patch-me');
    const forgetMe = service.addEndpoint('ForgetMe', routes.forgetMe, 'users/forget-me');
    for (const handler of [patchMe, forgetMe]) {
      // The check is for requests that change nothing.
      handler.grantItems(table, ['GetItem', 'PutItem', 'ConditionCheckItem'], USERS);
      service.grantRequestRecords(handler);
    }
    props.personalKeys.grantEncrypt(patchMe);
    props.personalKeys.grantErase(forgetMe);
    service.addSessions(routes.openSession.path, [patchMe, forgetMe]);

    const setStatus = service.addEndpoint('SetStatus', routes.setStatus, 'users/set-status');
    setStatus.grantItems(table, ['GetItem', 'PutItem'], USERS);
    props.personalKeys.grantEncrypt(setStatus);
  }
}
