// Types of the GraphQL documents in src, and the manifest of their hashes.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../schema.graphql',
  documents: ['src/**/*.ts', '!src/generated/**'],
  emitLegacyCommonJSImports: false,
  generates: {
    'src/generated/graphql/': {
      preset: 'client',
      presetConfig: {
        // The gateway takes SHA-256 only.
        persistedDocuments: { hashAlgorithm: 'sha256', mode: 'replaceDocumentWithHash' },
        fragmentMasking: false,
      },
      config: {
        documentMode: 'string',
        scalars: { DateTime: 'string', JSON: 'unknown', SafeInt: 'number' },
        strictScalars: true,
        enumsAsTypes: true,
        useTypeImports: true,
        onlyOperationTypes: true,
        skipTypename: true,
      },
    },
  },
};

export default config;
