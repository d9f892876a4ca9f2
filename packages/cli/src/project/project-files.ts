import type { ProjectFile, ProjectTemplate } from './project-template.ts'

/** What a project is told about where it is made. */
export type ProjectSetting = {
  /** The folder's own name, from which the package's name is made. */
  readonly folderName: string
  /** The exact version of Fairlead the project depends on. */
  readonly version: string
}

/** A package name npm accepts, as near to the folder's name as can be. */
export function packageNameFor(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .replace(/-+$/, '')
    .slice(0, 100)
  // A package of the same name as its dependency would be told to install itself.
  return name === '' || name === 'fairlead' || name === 'node_modules' ? 'my-fairlead-agent' : name
}

/** The three commands to begin with, as a person types them in the project's folder. */
export function firstCommands(template: ProjectTemplate): readonly string[] {
  return [
    `npx fairlead run ${JSON.stringify(template.prompt)} --offline`,
    'npx fairlead approvals list',
    'npx fairlead approvals approve ID --by you',
  ]
}

/** What type-checking the configuration takes. */
const devDependencies: { readonly [name: string]: string } = {
  '@types/node': '20.19.43',
  typescript: '7.0.2',
}

/** How the project gets Fairlead, true before and after it is on the registry. */
export const installAdvice =
  'npm install gets fairlead from the npm registry once it is published there. Before that type, in its place, npm install DIR/fairlead*.tgz with the folder of its tarballs.'

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  // For the declarations that models and schemas bring.
  skipLibCheck: true,
  types: ['node'],
}

function manifest({ folderName, version }: ProjectSetting): string {
  const content = {
    name: packageNameFor(folderName),
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { check: 'tsc' },
    dependencies: { fairlead: version },
    devDependencies,
    engines: { node: '>=20.19' },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

function readme(template: ProjectTemplate, setting: ProjectSetting): string {
  const commands = firstCommands(template).map((command) => `    ${command}`)
  return `# ${packageNameFor(setting.folderName)}

${template.summary} Its model is a fixed script in \`fairlead.config.ts\`, so that
everything runs offline and without a key.

    npm install
${commands.join('\n')}

${installAdvice}

\`run\` shows the calls and ends with one that waits; \`approvals list\` names it; \`approvals approve\` lets it run.
What happened is in \`.fairlead/\`: \`npx fairlead trace list\`, \`npx fairlead trace show RUN\`.

A real model takes the script's place with \`--model openai:NAME\` (or anthropic:, google:, openai-compatible:URL:)
instead of \`--offline\`; its key comes from the environment. \`npm run check\` checks the types.
`
}

/** All files of a new project, in the order they are told. */
export function projectFiles(template: ProjectTemplate, setting: ProjectSetting): readonly ProjectFile[] {
  return [
    { path: 'package.json', text: manifest(setting), isShared: true },
    {
      path: 'tsconfig.json',
      text: `${JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts'] }, null, 2)}\n`,
      isShared: true,
    },
    { path: '.gitignore', text: 'node_modules/\n.fairlead/\n', isShared: true },
    ...template.files,
    { path: 'README.md', text: readme(template, setting), isShared: false },
  ]
}
