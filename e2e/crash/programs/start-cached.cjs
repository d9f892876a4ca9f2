// Starts worker.cjs beside it with the machine code of an earlier start, which saves half of what a start costs. The
// first start, with FAIRLEAD_CRASH_CACHE set, leaves that code behind.
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { Script, constants } = require('node:vm')

const program = join(__dirname, 'worker.cjs')
const cache = join(__dirname, 'worker.cache')
const script = new Script(`(function (require) {${readFileSync(program, 'utf8')}\n})`, {
  filename: program,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}),
})
script.runInThisContext()(require)
if (process.env.FAIRLEAD_CRASH_CACHE === 'write') {
  process.on('exit', () => writeFileSync(cache, script.createCachedData()))
}
