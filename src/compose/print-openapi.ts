// `npm run schema`: writes openapi.json from the route rows, with the examples that the tests have recorded.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openApiText } from './openapi.js';

const EXAMPLES = 'test/contract/openapi-examples.json';

const [target = 'openapi.json'] = process.argv.slice(2);
const examples = existsSync(EXAMPLES) ? JSON.parse(readFileSync(EXAMPLES, 'utf8')) : {};
writeFileSync(target, openApiText(examples));
