// Causes are kept: whoever catches an error and throws another one passes the first one on, so that the log and doctor name the reason.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourceFiles } from './support/imports.js';

/** Files whose cause is the text itself that a caller has sent, or a file of the caller's: their sentence is all there is to say. */
const OF_THE_TEXT: ReadonlySet<string> = new Set([
  'src/catalog/admin/import.ts',
  'src/catalog/json-schema/subject-check.ts',
  'src/certificates/chain.ts',
  'src/cli/import-files.ts',
  'src/cli/json-text.ts',
  'src/cli/partner-token.ts',
  'src/common/cells.ts',
  'src/conditions/tokens.ts',
  'src/engine/store/packed.ts',
  'src/http/protocols/protocol-routes.ts',
  'src/http/requests/bodies.ts',
  'src/http/requests/request-url.ts',
  'src/keys/sd-jwt.ts',
  'src/openid4vci/proofs.ts',
  'src/openid4vp/responses.service.ts',
  'src/zk/presentation.ts',
]);
/** Files in which what is caught is itself the answer: a name that is taken, an issuer that has failed often, work that another process did. */
const OF_THE_ANSWER: ReadonlySet<string> = new Set([
  'src/issuance/issuer-calls.ts',
  'src/openid4vci/credential-requests.ts',
  'src/openid4vci/without-offer/requests.ts',
  'src/operators/operator-keys.ts',
]);

interface Catch {
  at: string;
  /** The name of what is caught; undefined: it has none. */
  name: string | undefined;
  body: string;
}

/** The catch clauses of a source. */
function catchesOf(file: string, source: string): Catch[] {
  return [...source.matchAll(/\bcatch (?:\((\w+)[^)]*\) )?\{/g)].map(({ 0: text, 1: name, index }) => {
    const from = index + text.length;
    let [end, depth] = [from, 1];
    for (; depth > 0 && end < source.length; end += 1) depth += source[end] === '{' ? 1 : source[end] === '}' ? -1 : 0;
    return { at: `${file}:${source.slice(0, index).split('\n').length}`, name, body: source.slice(from, end - 1) };
  });
}

/** Whether an error is thrown, or returned, in whose making what was caught is not named. */
function dropsCause({ name, body }: Catch): boolean {
  const made = [...body.matchAll(/\b(?:throw |return (?:new \w*Error|badInput)\()[^;]*;/g)].map(([text]) => text);
  return made.some((text) => name === undefined || !new RegExp(`\\b${name}\\b`).test(text));
}

const files = sourceFiles('src').filter((file) => !/^src\/(?:sdk|wallet|console)\//.test(file));
const found = files.flatMap((file) => catchesOf(file, readFileSync(file, 'utf8')).map((one) => ({ file, ...one })));

it('the check finds causes that are dropped, and none that is passed on', () => {
  const caught = (body: string) => catchesOf('x.ts', `try { f(); } catch (error) { ${body} }`).map(dropsCause);
  expect(caught("throw new Error('x');")).toEqual([true]);
  expect(caught("if (a) throw error; throw new Error('x');")).toEqual([true]);
  expect(caught("throw new Error('x', { cause: error });")).toEqual([false]);
  expect(catchesOf('x.ts', "try { f(); } catch { throw unreachable('x'); }").map(dropsCause)).toEqual([true]);
  expect(caught('return undefined;')).toEqual([false]);
});

it('every catch that throws another error passes the first one on', () => {
  expect(found.length).toBeGreaterThan(200);
  const dropped = found.filter((one) => dropsCause(one) && !OF_THE_TEXT.has(one.file) && !OF_THE_ANSWER.has(one.file));
  expect(dropped.map(({ at }) => at)).toEqual([]);
});

it('every exception is one', () => {
  const excepted = [...OF_THE_TEXT, ...OF_THE_ANSWER];
  expect(excepted.filter((file) => !found.some((one) => one.file === file && dropsCause(one)))).toEqual([]);
});
