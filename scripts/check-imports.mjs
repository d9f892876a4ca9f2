// Checks the import rules and that the checker really looked: it reports "no violations" for zero modules too.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import swcVisitor from '@swc/core/Visitor.js'
import { cruise } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { root } from './ensure-installed.mjs'

// The checker's parser has no case for `using` declarations: they are read as the variable declarations they are.
const visitStatement = swcVisitor.Visitor.prototype.visitStatement
swcVisitor.Visitor.prototype.visitStatement = function (statement) {
  return statement.type === 'UsingDeclaration'
    ? { ...statement, decls: this.visitVariableDeclarators(statement.decls) }
    : visitStatement.call(this, statement)
}

process.chdir(root)
const options = await extractOptions('./.dependency-cruiser.cjs')
const { output } = await cruise(['packages', 'examples'], { ...options, validate: true, outputType: 'json' })
const result = JSON.parse(output)
const seen = new Set(result.modules.map((module) => module.source))
const files = ['packages', 'examples'].flatMap(sourcesOf)
const missed = files.filter((file) => !seen.has(file))

for (const violation of result.summary.violations) {
  console.error(`${violation.rule.name}: ${violation.from} -> ${violation.to}`)
}
if (files.length < 50) console.error(`Only ${files.length} source files found: the check did not look.`)
if (missed.length > 0) console.error(`Not looked at: ${missed.join(', ')}`)
if (result.summary.violations.length > 0 || missed.length > 0 || files.length < 50) process.exit(1)
console.log(`import rules hold over ${files.length} source files`)

function sourcesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/(^|\/)(node_modules|dist)\//.test(path))
}
