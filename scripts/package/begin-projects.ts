import { join } from 'node:path'
import { z } from 'zod'
import { mustRun, type Surroundings } from './run-command.ts'

const begun = z.object({ directory: z.string(), next: z.array(z.string()) })
const pending = z.object({ items: z.array(z.object({ id: z.string() })) })

/**
 * Makes a project of each template with the installed command and types what `init` says to type next, with the
 * tarballs in the registry's place. Throws with what was found when a command fails, when nothing waits for approval
 * after the run, or when something still waits at the end.
 */
export function beginProjects(templates: readonly string[], tarballs: readonly string[], user: Surroundings): void {
  for (const template of templates) {
    const words = ['fairlead', 'init', template, '--template', template, '--json']
    const { directory, next } = begun.parse(JSON.parse(mustRun('npx', words, user).out))
    const project = { ...user, folder: join(user.folder, template) }
    if (directory !== project.folder) throw new Error(`init ${template}: wrote into ${directory}`)
    const commands = next.filter((command) => command.startsWith('npx fairlead '))
    if (commands.length === 0) throw new Error(`init ${template}: found no command to go on with in ${next.join('; ')}`)
    mustRun('npm', ['install', ...tarballs], project)
    followCommands(template, commands, project)
  }
}

function followCommands(template: string, commands: readonly string[], project: Surroundings): void {
  let decided = 0
  for (const command of commands) {
    const ids = command.includes(' ID') ? waiting(project) : []
    if (command.includes(' ID') && ids.length !== 1)
      throw new Error(`${template}: ${ids.length} calls wait, expected 1`)
    mustRun('sh', ['-c', command.replace(/ ID\b/, ` ${ids[0] ?? ''}`)], project)
    decided += ids.length
  }
  const left = waiting(project).length
  if (decided !== 1 || left > 0) throw new Error(`${template}: ${decided} decided and ${left} left, expected 1 and 0`)
}

function waiting(project: Surroundings): readonly string[] {
  const { out } = mustRun('npx', ['fairlead', 'approvals', 'list', '--json'], project)
  return pending.parse(JSON.parse(out)).items.map(({ id }) => id)
}
