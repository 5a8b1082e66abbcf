// The connection string: no option in it may weaken what the gateway promises.
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/base/config/config.js';

const uriWith = (query: string): string => `mongodb://user:secret@db1,db2/network?replicaSet=rs0&${query}`;

/** The problems that the configuration finds in this string. */
function problemsOf(uri: string): readonly string[] {
  try {
    loadConfig({ MONGODB_URI: uri });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('A connection string', () => {
  it.each(['s3cret%pw', '100%', '%zz', '%E0%A4%A'])(
    'a connection string with the password %j is refused without showing it',
    (password) => {
      const problems = problemsOf(`mongodb://user:${password}@db/network`);
      expect(problems).toEqual(['MONGODB_URI must have each % of a user, a password or an option written as %25']);
      expect(problemsOf(`mongodb://user:${encodeURIComponent(password)}@db/network`)).toEqual([]);
    },
  );

  it.each([
    ['readPreference=secondary', 'must not set readPreference=secondary: secondaries lag'],
    ['readpreference=nearest', 'must not set readpreference=nearest: secondaries lag'],
    ['readPreference=primaryPreferred', 'secondaries lag'],
    ['readPreferenceTags=dc:west', 'must not set readPreferenceTags: the gateway does not support this option'],
    ['readConcernLevel=available', 'the gateway chooses the read concern'],
    ['readConcernLevel=linearizable', 'the gateway chooses the read concern'],
    ['retryWrites=false', 'a write that a failover interrupts'],
    ['retryReads=false', 'each failover would'],
    ['journal=false', 'before it is on disk'],
    ['j=false', 'must not set j=false'],
    ['wtimeoutMS=100', 'does not support this option'],
    ['timeoutMS=100', 'does not support this option'],
    ['promoteValues=false', 'does not support this option'],
    ['ignoreUndefined=true', 'does not support this option'],
    ['loadBalanced=true', 'does not support this option'],
    ['__proto__=1', 'does not support this option'],
    ['constructor=1', 'does not support this option'],
    ['maxPoolSize=5', 'set at least 20'],
    ['socketTimeoutMS=50', 'set at least 1000'],
    ['directConnection=maybe', 'it must be true or false'],
  ])('a connection string that sets %s is refused at the start with the reason', (query, reason) => {
    const problems = problemsOf(uriWith(query));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^MONGODB_URI must not set /);
    expect(problems[0]).toContain(reason);
    expect(problems[0]).not.toContain('secret');
  });

  it.each([
    'retryWrites=true&w=majority',
    'readPreference=primary&readConcernLevel=majority&journal=true',
    'w=1',
    'authSource=admin&tls=true&tlsCAFile=/ca.pem&compressors=zstd',
    'maxPoolSize=200&minPoolSize=10&socketTimeoutMS=0&appName=campus',
    'SERVERSELECTIONTIMEOUTMS=300',
  ])('a connection string that sets %s is accepted', (query) => {
    expect(problemsOf(uriWith(query))).toEqual([]);
  });
});
