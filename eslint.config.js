// Rules for the components. They run in the page of a visitor, so what could turn text into markup or code is refused.
import js from '@eslint/js';
import globals from 'globals';

const MARKUP = 'text of documents reaches the page through textContent only';

export default [
  { ignores: ['.venv*/', 'node_modules/', 'workspace/', 'site/'] },
  js.configs.recommended,
  {
    files: ['ui/components/**/*.js'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-shadow': ['error', { builtinGlobals: false }],
      'no-use-before-define': ['error', { functions: false, variables: false }],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: MARKUP },
        { property: 'outerHTML', message: MARKUP },
        { property: 'insertAdjacentHTML', message: MARKUP },
        { object: 'document', property: 'write', message: MARKUP },
      ],
      'no-restricted-syntax': [
        'error',
        // ui/components/modules.py puts modules together; this is what it does not read.
        { selector: 'ImportExpression', message: 'import at the top of the file' },
        { selector: 'ImportNamespaceSpecifier, ImportDefaultSpecifier', message: 'import by name' },
        { selector: 'ExportAllDeclaration, ExportSpecifier', message: 'write export where the thing is defined' },
      ],
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 60 }],
      'max-params': ['error', 8],
      'max-depth': ['error', 4],
    },
  },
];
