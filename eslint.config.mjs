import tseslint from 'typescript-eslint';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import prettier from 'eslint-config-prettier';

// Dependencies point one way (docs/architecture.md): locking -> recipes -> session -> errors.
const lib = './lib';
const forbid = (target, from, message) => ({
  target: `${lib}/${target}`,
  from: from.map((f) => `${lib}/${f}`),
  message,
});
// The embedded server (testing) and the command (cli) stand beside: nobody knows them.
const beside = ['testing', 'cli'];
const above = {
  errors: ['session', 'recipes', 'locking', 'health', ...beside],
  session: ['recipes', 'locking', 'health', ...beside],
  recipes: ['locking', 'health', ...beside],
  locking: ['health', ...beside],
  health: ['locking', ...beside],
  '*.ts': beside,
  testing: ['cli'],
  // Only its Nest module uses the library.
  'testing/*.ts': ['session', 'recipes', 'locking', 'health'],
  'testing/!(nest)/**': ['session', 'recipes', 'locking', 'health'],
  cli: ['session', 'recipes', 'locking', 'health'],
};

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'node_modules'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } }),
      ],
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'always' }],
      '@typescript-eslint/consistent-type-definitions': 'error',
      // Nest declares its options as classes and means plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['lib/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 300 }],
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: Object.entries(above).map(([room, from]) =>
            forbid(room, from, `${room} must not know ${from.join(', ')}: see docs/architecture.md`),
          ),
        },
      ],
    },
  },
  {
    files: ['lib/**/*.ts'],
    ignores: ['lib/session/native-zk-client.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'zookeeper', message: 'Only lib/session/native-zk-client.ts knows the client.' }] },
      ],
    },
  },
  {
    files: ['lib/errors/**/*.ts', 'lib/session/**/*.ts', 'lib/recipes/**/*.ts', 'lib/testing/**/*.ts'],
    ignores: ['lib/session/native-zk-client.ts', 'lib/testing/nest/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'zookeeper', message: 'Only lib/session/native-zk-client.ts knows the client.' }],
          patterns: [{ group: ['@nestjs/*'], message: 'No Nest below lib/locking.' }],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'sample-app/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  prettier,
);
