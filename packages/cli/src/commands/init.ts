import { basename, relative, resolve } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { exitCode, usageFailure, type ExitCode } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'
import { readExistingManifest, type ExistingManifest } from '../project/existing-manifest.ts'
import { firstCommands, installAdvice, projectFiles } from '../project/project-files.ts'
import { projectTemplate, type TemplateName } from '../project/project-template.ts'
import { writeProject } from '../project/write-project.ts'
import { commandLine } from '../shell-words.ts'
import { packageVersion } from '../version.ts'

function manifestAdvice(manifest: ExistingManifest | null, version: string): string {
  const dependency =
    manifest?.dependsOnFairlead === true ? 'it depends on fairlead already' : `it should depend on fairlead ${version}`
  // A CommonJS package can import Fairlead all the same; only `tsc` minds the name of the file.
  return manifest === null || manifest.isModule
    ? dependency
    : `${dependency}; it has no "type": "module": add that, or rename fairlead.config.ts to fairlead.config.mts`
}

function keptLine(path: string, manifest: ExistingManifest | null, version: string): string {
  const advice = new Map([
    ['package.json', manifestAdvice(manifest, version)],
    ['.gitignore', 'it should name .fairlead/ and node_modules/'],
    ['tsconfig.json', 'it should include the configuration, with "module": "nodenext" and "skipLibCheck": true'],
  ])
  return `  ${path} was there and is kept; ${advice.get(path) ?? 'look at it'}`
}

/** `fairlead init [DIR]`: writes a small project that runs at once, offline. Overwrites nothing, starts nothing. */
export function initCommand(
  directory: string | undefined,
  options: { readonly template: TemplateName },
  context: CommandContext,
): ExitCode {
  const { host, output } = context
  if (directory?.trim() === '')
    throw usageFailure('init expects a folder; found an empty text. For this one: fairlead init .')
  const folder = resolve(host.workingDirectory, directory ?? '.')
  const version = packageVersion()
  const template = projectTemplate(options.template)
  const manifest = readExistingManifest(folder)
  const { written, kept } = writeProject(folder, projectFiles(template, { folderName: basename(folder), version }))
  const way = relative(host.workingDirectory, folder)
  const next = [
    ...(way === '' ? [] : [commandLine(['cd', way.startsWith('-') ? `./${way}` : way])]),
    ...(kept.includes('package.json') ? [] : ['npm install']),
    ...firstCommands(template),
  ]
  output.result(
    [
      `${template.summary} In ${visibleLine(folder)}:`,
      ...written.map((path) => `  ${path}`),
      ...kept.map((path) => keptLine(path, manifest, version)),
      '',
      'Next:',
      ...next.map((command) => `  ${output.colours.green(command)}`),
      ...(next.includes('npm install') ? ['', installAdvice] : []),
    ].join('\n'),
  )
  output.document({ directory: folder, template: template.name, written: [...written], kept: [...kept], next })
  return exitCode.ok
}
