// The import rules of the layer table in AGENTS.md. scripts/check-imports.mjs runs them and counts what was looked at.
const runtime = '^packages/runtime/src'
const tests = '\\.test\\.ts$|\\.test-d\\.ts$|\\.bench\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-imports-nothing-of-ours',
      severity: 'error',
      from: { path: `${runtime}/core/`, pathNot: tests },
      to: { path: '^(packages|examples)/', pathNot: `${runtime}/core/` },
    },
    {
      name: 'node-builtins-only-in-core-platform',
      severity: 'error',
      from: { path: `${runtime}/core/`, pathNot: `${runtime}/core/platform/|${tests}` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'runtime-rows-never-import-sideways',
      severity: 'error',
      from: { path: `${runtime}/(?!core/)([^/]+)/`, pathNot: tests },
      to: { path: `${runtime}/`, pathNot: `${runtime}/(core|$1)/` },
    },
    {
      name: 'folders-are-entered-by-their-door',
      severity: 'error',
      from: { path: `${runtime}/(?!core/)`, pathNot: tests },
      to: { path: `${runtime}/core/`, pathNot: `${runtime}/core/index\\.ts$` },
    },
    {
      name: 'packages-use-published-doors-of-runtime',
      severity: 'error',
      from: { path: '^(packages/(?!runtime/)|examples/)' },
      to: {
        path: `${runtime}/`,
        pathNot: `${runtime}/(index|core/index|core/ambient|models/index|testing/index)\\.ts$`,
      },
    },
    {
      name: 'store-imports-runtime-only',
      severity: 'error',
      from: { path: '^packages/store/src/', pathNot: tests },
      to: { path: '^(packages/(?!store/|runtime/)|examples/)' },
    },
    {
      name: 'examples-stand-by-themselves',
      severity: 'error',
      from: { path: '^packages/', pathNot: tests },
      to: { path: '^examples/' },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      from: { pathNot: `${tests}|/test/` },
      to: { path: tests },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@fairlead/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
