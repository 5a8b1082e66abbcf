// Configuration: what is absent has its default, what is wrong is named with the fix, all of it at once, and no secret is repeated.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/base/config/config.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = {
  NETWORK_ENV: 'production',
  KEYSTORE_KEY: KEY,
  PUBLIC_URL: 'https://gateway.example',
  HOLDER_DID_TYPE: '03d1',
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('An empty environment', () => {
  it('an empty environment is a sandbox on 127.0.0.1:4000 with its data in ./data', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      networkEnv: 'sandbox',
      dataDir: './data',
      mongodbUri: undefined,
      adminApiKey: undefined,
      catalogEnabled: true,
      corsOrigins: [],
      logLevel: 'info',
    });
  });

  it('empty variables count as unset', () => {
    expect(loadConfig({ PORT: '', MONGODB_URI: '', ADMIN_API_KEY: '', CORS_ORIGINS: '' })).toEqual(loadConfig({}));
  });

  it('NODE_ENV does not change the configuration', () => {
    expect(loadConfig({ NODE_ENV: 'production' }).networkEnv).toBe('sandbox');
  });

  it('the configuration cannot be changed', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });
});

describe('PASSKEY_RP_ID', () => {
  const of = (PASSKEY_RP_ID: string, PUBLIC_URL = 'https://wallet.gateway.example:8443') =>
    problemsOf({ PASSKEY_RP_ID, PUBLIC_URL });

  it.each(['wallet.gateway.example', 'gateway.example'])('%s is the host of PUBLIC_URL, or above it', (rpId) => {
    expect(of(rpId)).toEqual([]);
  });

  it.each(['other.example', 'a.wallet.gateway.example', 'eway.example', 'example'])('%s is not', (rpId) => {
    expect(of(rpId)).toEqual([expect.stringContaining('PASSKEY_RP_ID must be the host of PUBLIC_URL')]);
  });

  it.each(['127.0.0.1', '[::1]', 'https://gateway.example', 'Gateway.example', 'gateway.example:8443', '7'])(
    '%s is no name of a host',
    (rpId) => {
      expect(of(rpId, 'http://127.0.0.1:4000')).toEqual([expect.stringContaining('PASSKEY_RP_ID must be the name')]);
    },
  );

  it('of a sandbox without PUBLIC_URL can only be localhost', () => {
    expect(problemsOf({ PASSKEY_RP_ID: 'localhost' })).toEqual([]);
    expect(problemsOf({ PASSKEY_RP_ID: 'gateway.example' })).toHaveLength(1);
  });
});

describe('A value that fits', () => {
  const fitting = [
    ['PORT', '0', 'port', 0],
    ['PORT', '65535', 'port', 65_535],
    ['HOST', '0.0.0.0', 'host', '0.0.0.0'],
    [
      'CORS_ORIGINS',
      'https://a.example, http://localhost:3000',
      'corsOrigins',
      ['https://a.example', 'http://localhost:3000'],
    ],
    ['PUBLIC_URL', 'http://localhost:8080/', 'publicUrl', 'http://localhost:8080'],
    ...['https://gateway.example/Base', 'https://gateway.example:443', 'https://gäteway.example/%C3%A4'].map(
      (url) => ['PUBLIC_URL', `${url}//`, 'publicUrl', url] as const,
    ),
    ['KEYSTORE_KEY', KEY, 'keystoreKey', Buffer.alloc(32, 7)],
    ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['MONGODB_URI', 'mongodb+srv://cluster.example/x', 'mongodbUri', 'mongodb+srv://cluster.example/x'],
  ] as const;
  it.each(fitting)('%s=%s is accepted', (name, text, field, value) => {
    expect(loadConfig({ [name]: text })[field]).toEqual(value);
  });
});

describe('A value that does not fit', () => {
  const wrong = [
    ['PORT', 'abc', 'PORT must be a whole number from 0 to 65535: a TCP port'],
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '40.5', 'a whole number from 0 to 65535'],
    ['PORT', '1e3', 'a whole number from 0 to 65535'],
    ['NETWORK_ENV', 'staging', 'must be sandbox or production'],
    ['CATALOG_ENABLED', 'yes', 'must be true or false'],
    ['LOG_LEVEL', 'loud', 'must be fatal, error, warn, info, debug or silent'],
    ['MONGODB_URI', 'postgres://db', 'begins with mongodb:// or mongodb+srv://'],
    ['CORS_ORIGINS', 'https://a.example/path', 'must be origins separated by commas'],
    ['CORS_ORIGINS', '*', 'must be origins separated by commas'],
    ['PUBLIC_URL', 'gateway.example', 'must be an http or https address'],
    ['PUBLIC_URL', 'https://user:pass@gateway.example', 'must be an http or https address'],
    ...[
      'HTTPS://gateway.example',
      'https://Gateway.example',
      'https://gateway.example/a b',
      'https://gateway.example/ä',
    ].map((url) => ['PUBLIC_URL', url, 'must be written in small letters, and its path as browsers write it'] as const),
    ['PUBLIC_URL', 'https://gateway.example/../a', 'its path as browsers write it'],
    ['PUBLIC_URL', 'https://gateway.example\\a', 'its path as browsers write it'],
    ['ADMIN_API_KEY', 'short', 'at least 32 characters'],
    ['KEYSTORE_KEY', 'c2hvcnQ=', '32 bytes in base64'],
    ['TRUST_PROXY', 'all', 'a whole number from 0 to 10'],
  ] as const;
  it.each(wrong)('%s=%s is refused with the accepted values', (name, text, fix) => {
    const [problem, ...more] = problemsOf({ [name]: text });
    expect(more).toEqual([]);
    expect(problem).toContain(name);
    expect(problem).toContain(fix);
  });

  it('all invalid values are reported together', () => {
    const problems = problemsOf({ PORT: 'abc', LOG_LEVEL: 'loud', KEYSTORE_KEY: 'x' });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['PORT', 'KEYSTORE_KEY', 'LOG_LEVEL']);
  });

  it('an invalid value that may be a secret is not repeated', () => {
    const secrets = { ADMIN_API_KEY: 'tiny-secret', KEYSTORE_KEY: 'seal-secret', MONGODB_URI: 'mongo://u:pw-secret@h' };
    expect(problemsOf(secrets)).toHaveLength(3);
    expect(problemsOf(secrets).join(' ')).not.toMatch(/-secret/);
  });
});

describe('A former name', () => {
  it('a former name of a variable counts while the new one is unset', () => {
    const former = { ANSWER_CACHE_MB: '5', FRAGMENT_CACHE_MB: '6', EXECUTOR: 'jit' };
    expect(loadConfig(former)).toMatchObject({ responseCacheMb: 5, rowTextCacheMb: 6, executor: 'compiled' });
    const limits = loadConfig({ MAX_ANSWER_VALUES: '2000', MAX_ANSWER_MB: '2' });
    expect(limits).toMatchObject({ maxResponseValues: 2000, maxResponseBytes: 2 * 1024 * 1024 });
    expect(loadConfig({ ...former, RESPONSE_CACHE_MB: '7' }).responseCacheMb).toBe(7);
    expect(problemsOf({ ANSWER_CACHE_MB: 'x' })[0]).toMatch(/^RESPONSE_CACHE_MB must be/);
  });
});

describe('Production', () => {
  it('production needs a key for the key store, an https address and its network’s type, and reports all of them at once', () => {
    const problems = problemsOf({ NETWORK_ENV: 'production' });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['HOLDER_DID_TYPE', 'KEYSTORE_KEY', 'PUBLIC_URL']);
    expect(problemsOf({ ...PRODUCTION, PUBLIC_URL: 'http://gateway.example' })).toEqual([
      'PUBLIC_URL must be https in production',
    ]);
  });

  it('production has no catalog unless it is enabled, and no sample', () => {
    expect(loadConfig(PRODUCTION)).toMatchObject({ catalogEnabled: false, sampleCatalog: false });
    expect(loadConfig({ ...PRODUCTION, CATALOG_ENABLED: 'true' }).catalogEnabled).toBe(true);
  });
});

describe('Holders’ DIDs', () => {
  const networks = ['did:core:id:main:', 'did:core:id:mainnet:', 'did:iden3:privado:main:', 'did:iden3:polygon:amoy:'];
  it.each(networks)('holders’ DIDs of %s need the type of that network, with the reason in the message', (prefix) => {
    const [problem = '', ...more] = problemsOf({ HOLDER_DID_PREFIX: prefix });
    expect(more).toEqual([]);
    expect(problem).toMatch(/^HOLDER_DID_TYPE must be set for the prefix /);
    expect(problem).toContain(prefix);
    expect(problem).toContain('The default, 03d2, is of "did:core:id:testnet:"');
    const config = loadConfig({ HOLDER_DID_PREFIX: prefix, HOLDER_DID_TYPE: '03D1' });
    expect([config.holderDidPrefix, config.holderDidType.toString('hex')]).toEqual([prefix, '03d1']);
  });

  it('holders’ DIDs of the test network have its type, also where its prefix is set', () => {
    const byDefault = loadConfig({});
    expect([byDefault.holderDidPrefix, byDefault.holderDidType.toString('hex')]).toEqual([
      'did:core:id:testnet:',
      '03d2',
    ]);
    const named = loadConfig({ ...PRODUCTION, HOLDER_DID_TYPE: '', HOLDER_DID_PREFIX: 'did:core:id:testnet:' });
    expect(named.holderDidType).toEqual(byDefault.holderDidType);
  });
});

describe('A secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it.each([
    ['MONGODB_URI', 'mongodb://user:secret@db/network', 'mongodbUri'],
    ['ADMIN_API_KEY', 'k'.repeat(40), 'adminApiKey'],
    ['SMTP_URL', 'smtp://user:secret@mail', 'smtpUrl'],
  ] as const)('is read for %s, without the line break at its end', (name, secret, field) => {
    expect(loadConfig({ [`${name}_FILE`]: file(name, `${secret}\n`) })[field]).toBe(secret);
  });

  it('KEYSTORE_KEY_FILE is read', () => {
    expect(loadConfig({ KEYSTORE_KEY_FILE: file('key', KEY) }).keystoreKey).toEqual(Buffer.alloc(32, 7));
  });

  it('the addresses of nodes, which often contain a key, are read from files', () => {
    const { chain } = loadConfig({
      CHAIN_RPC_URL_FILE: file('rpc', 'https://node.example/secret\n'),
      BUNDLER_URL_FILE: file('bundler', 'https://bundler.example/secret\n'),
      RELAYER_PRIVATE_KEY_FILE: file('relayer', `0x${'12'.repeat(32)}\n`),
      CHAIN_ID: '5',
    });
    expect([chain.rpcUrl, chain.bundlerUrl]).toEqual(['https://node.example/secret', 'https://bundler.example/secret']);
  });

  it('secret files that are unreadable, empty, set twice or invalid are reported at once, without their content', () => {
    const problems = problemsOf({
      MONGODB_URI_FILE: join(folder, 'none'),
      ADMIN_API_KEY_FILE: file('empty', '\n'),
      SMTP_URL_FILE: file('smtp', 'secret-text'),
      KEYSTORE_KEY_FILE: file('key2', KEY),
      KEYSTORE_KEY: KEY,
      PORT: 'x',
    });
    expect(problems).toEqual([
      'MONGODB_URI_FILE must be the path of a file that can be read (ENOENT)',
      'ADMIN_API_KEY_FILE names a file that is empty',
      'KEYSTORE_KEY and KEYSTORE_KEY_FILE are both set: leave one out',
      expect.stringContaining('PORT '),
      expect.stringContaining('SMTP_URL '),
    ]);
    expect(problems.join()).not.toContain('secret-text');
  });
});
