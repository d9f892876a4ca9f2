import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import type { PublishedDoor } from './published-doors.ts'

/**
 * The report of every door of one package, by name: its exports and all types they mention, without their documentation.
 * Throws when the declarations do not compile or are not there.
 */
export function describeDoors(doors: readonly PublishedDoor[]): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-api-'))
  try {
    const configs = doors.map((door) => ({ door, config: extractorConfig(door, doors, folder) }))
    const [first] = configs
    if (first === undefined) return new Map()
    // The compiler reads the declarations once for all doors.
    const compilerState = CompilerState.create(first.config, {
      additionalEntryPoints: doors.map(({ declarations }) => declarations),
    })
    return new Map(configs.map(({ door, config }) => [door.reportName, reportOf(config, compilerState)]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function reportOf(config: ExtractorConfig, compilerState: CompilerState): string {
  const problems: string[] = []
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) problems.push(message.formatMessageWithLocation(undefined))
      message.handled = true
    },
  })
  if (!succeeded || problems.length > 0) throw new Error(`${config.mainEntryPointFilePath}:\n${problems.join('\n')}`)
  return readFileSync(config.reportFilePath, 'utf8')
}

function extractorConfig(door: PublishedDoor, doors: readonly PublishedDoor[], folder: string): ExtractorConfig {
  const { packageFolder, declarations, reportName } = door
  const silent = { logLevel: ExtractorLogLevel.None }
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: compilerSettings(doors) },
      apiReport: {
        enabled: true,
        reportFileName: reportName,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temporary'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        // No release tags are used, types without an export of their own are listed in the report as such, and missing
        // documentation is not a matter of the API.
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          'ae-missing-release-tag': silent,
          'ae-forgotten-export': silent,
          'ae-undocumented': silent,
          'ae-unresolved-link': silent,
        },
        tsdocMessageReporting: { default: silent },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageFolder, 'package.json'),
  })
}

/** The settings a consumer has: no source condition, so that siblings are read from their published declarations. */
function compilerSettings(doors: readonly PublishedDoor[]): object {
  return {
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      types: ['node'],
    },
    files: doors.map(({ packageFolder, declarations }) => relative(packageFolder, declarations)),
  }
}
