// The catalog of a store as tables: for PostGraphile, in the schema that suits the page best. What the page does not show is there too.
import type { Db, Document } from 'mongodb';
import { credentialOf } from './rows.js';

/**
 * Names by smart tags, so that fields are called as ours; an index for the list's order, and for each list of programs one in their order.
 * The list of programs is a function that PostgreSQL inlines. `rest` holds the other fields of our rows and is not in the API. Words of names
 * are found by a table of their beginnings in the order of the list: with a GIN index of words, PostgreSQL reads and sorts each name that has
 * the word, or all names in order if it expects many to have it (700 ms for a word of one name).
 */
export const TABLES = `
create schema bench;
set search_path = bench;
create table issuers (issuer_id text primary key, name text not null, issuer_did text not null, rest jsonb not null);
create table schemas (schema_id text primary key, title text not null, rest jsonb not null);
create table verifiers (verifier_id text primary key, name text not null, rest jsonb not null);
create table credentials (
  credential_id text primary key, name text not null, category text not null,
  issuer_id text not null, schema_id text not null,
  holder_count int not null, issuance_count int not null, verification_count int not null, demand_count int not null,
  popularity int not null, sort_name text not null, rest jsonb not null,
  constraint credential_issuer foreign key (issuer_id) references issuers,
  constraint credential_schema foreign key (schema_id) references schemas
);
create table programs (
  program_id text primary key, name text not null, pricing_model text not null,
  verifier_id text not null, popularity int not null, rest jsonb not null,
  constraint program_verifier foreign key (verifier_id) references verifiers
);
create table accepted_credentials (
  credential_id text not null references credentials,
  popularity int not null,
  program_id text not null references programs,
  primary key (credential_id, popularity, program_id)
);
create function credentials_programs(credential credentials) returns setof programs language sql stable rows 3 as $$
  select programs.* from accepted_credentials join programs using (program_id)
  where accepted_credentials.credential_id = credential.credential_id
  order by accepted_credentials.popularity desc, accepted_credentials.program_id desc
$$;
create function credentials_of_ids(ids text[]) returns setof credentials language sql stable rows 20 as $$
  select * from credentials where credential_id = any (ids) order by popularity desc, credential_id desc
$$;
create schema words;
create table words.beginnings (
  beginning text collate "C" not null, popularity int not null, credential_id text not null,
  primary key (beginning, popularity, credential_id)
);
create function words.beginnings_of(name text) returns setof text language sql immutable as $$
  select distinct left(word, length) from unnest(tsvector_to_array(to_tsvector('simple', name))) word, generate_series(1, length(word)) length
$$;
create function words.renamed() returns trigger language plpgsql as $$ begin
  delete from words.beginnings where beginning in (select words.beginnings_of(old.name))
    and popularity = old.popularity and credential_id = old.credential_id;
  insert into words.beginnings select words.beginnings_of(new.name), new.popularity, new.credential_id;
  return null;
end $$;
create function credentials_named(word text) returns setof credentials language sql stable rows 20 as $$
  select credentials.* from words.beginnings join credentials using (credential_id) where beginning = lower(word)
  order by beginnings.popularity desc, beginnings.credential_id desc
$$;
comment on constraint credential_issuer on credentials is E'@fieldName issuer';
comment on constraint credential_schema on credentials is E'@fieldName schema';
comment on constraint program_verifier on programs is E'@fieldName verifier';
comment on function credentials_programs(credentials) is E'@fieldName programs';
comment on table accepted_credentials is E'@behavior -*';
${['issuers', 'schemas', 'verifiers', 'credentials', 'programs'].map((table) => `comment on column ${table}.rest is E'@behavior -*';`).join('\n')}
`;

/** After the rows. */
export const INDEXES = `
set search_path = bench;
create index on credentials (popularity, credential_id);
create index on credentials (issuer_id);
create index on credentials (schema_id);
create index on programs (verifier_id);
create index on accepted_credentials (program_id);
vacuum analyze;
`;

/** For lists by filter and order, and for words of names. */
export const TRAFFIC_INDEXES = `
set search_path = bench;
create index on credentials (sort_name, credential_id);
${['issuer_id', 'schema_id', 'category'].map((filter) => `create index on credentials (${filter}, popularity, credential_id); create index on credentials (${filter}, sort_name, credential_id);`).join('\n')}
insert into words.beginnings select words.beginnings_of(name), popularity, credential_id from credentials;
create trigger renamed after update of name, popularity on credentials for each row execute function words.renamed();
vacuum analyze;
`;

type Column = string | number | object;

/** A field of COPY's text format. */
function field(value: Column): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\\\t\n\r]/g, (character) => `\\${{ '\\': '\\', '\t': 't', '\n': 'n', '\r': 'r' }[character]}`);
}

function copyOf(table: string, rows: Iterable<Column[]>): string {
  const lines = Array.from(rows, (row) => `${row.map(field).join('\t')}\n`);
  return `copy bench.${table} from stdin;\n${lines.join('')}\\.\n`;
}

/** The columns of a row, and all of the row that they leave out. */
function columnsOf(row: Document, names: readonly string[]): Column[] {
  const rest = Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  return [...names.map((name) => row[name] as Column), rest];
}

function credentialColumns(row: Document): Column[] {
  const { credentialId, name, category, issuerId, schemaId, traction } = credentialOf(row as never);
  const { holderCount, issuanceCount, verificationCount, demandCount } = traction;
  const counts = [holderCount, issuanceCount, verificationCount, demandCount, row.popularity as number];
  const sortName = row.sortName as string;
  const [rest = {}] = columnsOf(row, ['_id', 'name', 'category', 'issuerId', 'schemaId', 'traction', 'sortName']).slice(
    -1,
  );
  return [credentialId, name, category, issuerId, schemaId, ...counts, sortName, rest];
}

/** The catalog's live rows as `COPY` statements, to be run after `TABLES`. */
export async function rowsAsSql(db: Db): Promise<string> {
  const all = (name: string): Promise<Document[]> => db.collection(name).find({ live: true }).toArray();
  const simple = async (table: string, names: string[]): Promise<string> =>
    copyOf(
      table,
      (await all(table)).map((row) => columnsOf(row, names)),
    );
  const programs = await all('programs');
  const accepted = programs.flatMap(({ _id, popularity, acceptedCredentials }) =>
    acceptedCredentials.map(({ credentialId }: { credentialId: string }) => [credentialId, popularity, _id]),
  );
  return [
    await simple('issuers', ['_id', 'name', 'issuerDid']),
    await simple('schemas', ['_id', 'title']),
    await simple('verifiers', ['_id', 'name']),
    copyOf('credentials', (await all('credentials')).map(credentialColumns)),
    copyOf(
      'programs',
      programs.map((row) => columnsOf(row, ['_id', 'name', 'pricingModel', 'verifierId', 'popularity'])),
    ),
    copyOf('accepted_credentials', accepted),
  ].join('');
}
