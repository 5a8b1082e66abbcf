// The part of the suite that may run against a MongoDB of somebody's own: MONGODB_URI=… npm run test:mongodb
import { defineConfig } from 'vitest/config';
import { storeTests } from './test/support/store-tests.js';
import config from './vitest.config.js';

const uri = process.env.MONGODB_URI;
if (!uri) throw new Error('Set MONGODB_URI to a replica set on which the tests may create and drop databases.');

export default defineConfig({ ...config, test: { ...config.test, include: storeTests(uri) } });
