// The catalog by REST: a page, a credential in full, a search, and a refusal: npm run rest [address]
import { bodyOf, createRestClient, reasonOf } from './rest-client.js';
import './one-sentence.js';

const [address = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const gateway = createRestClient(address);

const { data: page } = bodyOf(
  await gateway.GET('/v1/catalog/credentials', {
    params: { query: { category: 'Education', sortBy: 'name', limit: 3 } },
  }),
);
console.log(`${page.records.length} of ${page.total} credentials in Education`);
for (const { credentialId, name, issuer } of page.records) console.log(`  ${credentialId}: ${name}, by ${issuer.name}`);

const { data: degree } = bodyOf(
  await gateway.GET('/v1/catalog/credentials/{id}', { params: { path: { id: 'degree-lumen' } } }),
);
console.log(`data points of ${degree.name}`);
for (const { name, type, isRequired } of degree.dataPoints)
  console.log(`  ${name}: ${type}${isRequired ? '' : ', optional'}`);

const { data: matches } = bodyOf(
  await gateway.GET('/v1/catalog/search', { params: { query: { q: 'university', limit: 3 } } }),
);
console.log(`${matches.issuers.total} issuers for "university"`);
for (const { name } of matches.issuers.items) console.log(`  ${name}`);

const { error, response } = await gateway.GET('/v1/catalog/credentials/{id}', { params: { path: { id: 'no-such' } } });
if (error) console.log(`${response.status}: ${reasonOf(error)}`);
