// `npm run schema`: writes schema.graphql from the code.
import { writeFileSync } from 'node:fs';
import { buildGatewaySchema, printGatewaySchema } from './schema.js';

const [target = 'schema.graphql'] = process.argv.slice(2);
writeFileSync(target, printGatewaySchema(buildGatewaySchema()));
