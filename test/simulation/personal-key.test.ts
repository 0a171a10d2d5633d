import { expect, test } from 'vitest';
import { Iam } from '../../packages/simulator/services/iam/model.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';

/** Who may use the KMS key that wraps the people's keys: a right of one's own, and the key's own policy. */

const { assembly } = loadSharedDeployment(prodAssembly());
const iam = new Iam(assembly);
const [key] = assembly.findByType('AWS::KMS::Key');
const roles = assembly.findByType('AWS::Lambda::Function').map(({ label, properties }) => ({
  fn: label.replace(/\/Function$/, ''),
  role: String(properties.Role),
}));
const PERSONAL_DATA = { 'kms:EncryptionContext:purpose': 'personal-data' };
const access = (action: string, context: Readonly<Record<string, string>> = PERSONAL_DATA) => ({
  action: `kms:${action}`,
  resource: key?.arn ?? '',
  context,
});

test('the key is usable only by functions that read personal data, whatever other policies permit', () => {
  const byPolicyOfTheKey = (action: string) =>
    roles.filter(({ role }) => iam.keyDelegatesToRole(role, access(action))).map(({ fn }) => fn);
  const reading = ['Orders/GetOrder', 'Orders/ListOrders', 'Orders/OrderHistory'];
  const reviewing = ['Orders/OnSaga', 'Orders/RunJudgements', 'Orders/ReviewOrder'];
  const ofAccounts = ['Accounts/SetAccountStatus', 'Accounts/ApplyBonus', 'Accounts/AccountHistory'];
  const ofUsers = ['Users/GetMe', 'Users/GetUser', 'Users/PatchMe', 'Users/SetStatus'];
  const ofPayments = ['Payments/RequestPayment', 'Payments/GetPayment', 'Payments/RefundPayment'];
  const opening = [
    'Orders/PlaceOrder',
    ...reading,
    'Orders/CancelOrder',
    'Orders/DispatchOrder',
    ...reviewing,
    ...ofAccounts,
    ...ofPayments,
    ...ofUsers,
  ];
  expect(byPolicyOfTheKey('Decrypt')).toEqual(opening);
  expect(byPolicyOfTheKey('GenerateDataKey')).toEqual(opening);
  for (const action of ['Encrypt', 'ReEncryptFrom', 'CreateGrant', 'GenerateDataKeyWithoutPlaintext']) {
    expect(byPolicyOfTheKey(action), action).toEqual([]);
  }
  const sealing = roles.filter(({ role }) => iam.roleAllows(role, access('GenerateDataKey'))).map(({ fn }) => fn);
  expect(sealing).toEqual([
    'Orders/PlaceOrder',
    'Orders/CancelOrder',
    'Orders/ReviewOrder',
    'Accounts/SetAccountStatus',
    'Accounts/ApplyBonus',
    'Payments/RequestPayment',
    'Users/PatchMe',
    'Users/SetStatus',
  ]);
});

test('the key is for personal data only, which each call must declare', () => {
  for (const { role } of roles) {
    expect(iam.keyDelegatesToRole(role, access('Decrypt', {}))).toBe(false);
    expect(iam.keyDelegatesToRole(role, access('Decrypt', { 'kms:EncryptionContext:purpose': 'other' }))).toBe(false);
  }
});

test('the account may administer the key, so that it is never locked', () => {
  for (const action of ['PutKeyPolicy', 'CancelKeyDeletion', 'EnableKey']) {
    expect(
      roles.every(({ role }) => iam.keyDelegatesToRole(role, access(action, {}))),
      action,
    ).toBe(true);
  }
});
