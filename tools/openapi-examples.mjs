// Chooses examples for openapi.json among the responses that the tests have recorded:
//   OPENAPI_EXAMPLES=/tmp/responses npx vitest run test && node tools/openapi-examples.mjs /tmp/responses && npm run schema
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';

const TARGET = 'test/contract/openapi-examples.json';
/** Longer examples are not read by anyone. */
const MAX_LENGTH = 2_500;
const COSTLY_LENGTH = 250;
/** The document is no example of itself. */
const NO_EXAMPLE = 'GET /v1/openapi.json';

/** Members that are not null, each once however often a list repeats it. */
function filled(value, path = '', paths = new Set()) {
  if (Array.isArray(value)) for (const item of value) filled(item, `${path}[]`, paths);
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value)) filled(member, `${path}.${key}`, paths);
  else if (value !== null && value !== '') paths.add(path);
  return paths;
}

/** Much of the shape in little text. */
function scoreOf({ text, body }) {
  if (text.length > MAX_LENGTH) return -text.length;
  return (typeof body === 'string' ? 1 : filled(body).size) - text.length / COSTLY_LENGTH;
}

const isJson = (contentType) => /^application\/(json|vc)/.test(contentType ?? '');
const parsed = ({ contentType, text }) => (contentType?.startsWith('application/json') ? JSON.parse(text) : text);

function best(lines) {
  const chosen = new Map();
  for (const line of lines) {
    const recorded = JSON.parse(line);
    if (recorded.status >= 300 && !isJson(recorded.contentType)) continue;
    const [place, key] = recorded.status < 400 ? [recorded.operation, recorded.status] : ['refusals', recorded.status];
    if (place === NO_EXAMPLE) continue;
    const candidate = { ...recorded, body: parsed(recorded) };
    const id = `${place} ${key}`;
    const before = chosen.get(id);
    if (before === undefined || scoreOf(candidate) > scoreOf(before)) chosen.set(id, { ...candidate, place, key });
  }
  return [...chosen.values()];
}

const examples = existsSync(TARGET) ? JSON.parse(readFileSync(TARGET, 'utf8')) : {};
for (const { place, key, body, sent } of best(
  readFileSync(argv[2] ?? '', 'utf8')
    .split('\n')
    .filter(Boolean),
)) {
  const name = place.replace(/\{(\w+)\}/g, ':$1');
  examples[name] = { ...examples[name], [key]: body, ...(sent === undefined ? {} : { body: JSON.parse(sent) }) };
}
const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(TARGET, `${JSON.stringify(sorted, null, 2)}\n`);
console.log(`${TARGET}: ${Object.keys(sorted).length} operations`);
