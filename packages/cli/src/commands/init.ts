import { basename, relative, resolve } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'
import { firstCommands, projectFiles } from '../project/project-files.ts'
import { projectTemplate, type TemplateName } from '../project/project-template.ts'
import { writeProject } from '../project/write-project.ts'
import { commandLine } from '../shell-words.ts'
import { packageVersion } from '../version.ts'

function keptLine(path: string, version: string): string {
  const advice =
    path === 'package.json' ? `it should depend on fairlead ${version}` : 'it should name .fairlead/ and node_modules/'
  return `  ${path} was there and is kept; ${advice}`
}

/** `fairlead init [DIR]`: writes a small project that runs at once, offline. Overwrites nothing, starts nothing. */
export function initCommand(
  directory: string | undefined,
  options: { readonly template: TemplateName },
  context: CommandContext,
): ExitCode {
  const { host, output } = context
  const folder = resolve(host.workingDirectory, directory ?? '.')
  const version = packageVersion()
  const template = projectTemplate(options.template)
  const { written, kept } = writeProject(folder, projectFiles(template, { folderName: basename(folder), version }))
  const way = relative(host.workingDirectory, folder)
  const next = [
    ...(way === '' ? [] : [commandLine(['cd', way])]),
    ...(kept.includes('package.json') ? [] : ['npm install']),
    ...firstCommands(template),
  ]
  output.result(
    [
      `${template.summary} In ${visibleLine(folder)}:`,
      ...written.map((path) => `  ${path}`),
      ...kept.map((path) => keptLine(path, version)),
      '',
      'Next:',
      ...next.map((command) => `  ${output.colours.green(command)}`),
    ].join('\n'),
  )
  output.document({ directory: folder, template: template.name, written: [...written], kept: [...kept], next })
  return exitCode.ok
}
