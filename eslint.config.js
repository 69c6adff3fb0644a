import tseslint from 'typescript-eslint'

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      'troupe-data/',
      'coverage/',
      'agents/kernels/assembly/',
      'envs/*/assembly/*.ts',
    ],
  },
  ...tseslint.configs.recommended,
  {
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'Chance comes from a generator that is handed in.',
        },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    },
  },
  { files: ['scripts/**', 'cli/**', 'testing.ts', '**/*.test.ts', '**/*.e2e.ts'], rules: { 'no-console': 'off' } },
)
