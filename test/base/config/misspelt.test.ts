// Variables with almost the right name: they are named with the nearest right one, and nothing else is.
import { expect, it } from 'vitest';
import { misspeltVariables } from '../../../src/base/config/config.js';

it('a misspelt variable is named with the nearest right one', () => {
  const sentence = (wrong: string, right: string) => `${wrong} is not a variable of the gateway: is it ${right}?`;
  expect(misspeltVariables({ CATALOG_ENABLD: 'true', ADMIN_APIKEY_FILE: '/x', keystore_key: 'x' })).toEqual([
    sentence('CATALOG_ENABLD', 'CATALOG_ENABLED'),
    sentence('ADMIN_APIKEY_FILE', 'ADMIN_API_KEY_FILE'),
    sentence('keystore_key', 'KEYSTORE_KEY'),
  ]);
});

it('variables of other programs, right ones, and those beside a right one are not named', () => {
  const others = { HOME: '/root', PATH: '/bin', NODE_ENV: 'x', npm_config_cache: 'x', HOSTNAME: 'x', LOG_LEVELS: 'x' };
  expect(misspeltVariables({ ...others, LOG_LEVEL: 'info', MONGODB_URI_FILE: '/x' })).toEqual([]);
});
