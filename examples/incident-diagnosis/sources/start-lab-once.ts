import { ToolError } from '@fairlead/runtime'
import { IncidentDataError, startLab, type Lab } from '../lab/index.ts'

/**
 * A function that starts the lab of a data folder when it is first called and gives the same lab from then on.
 * Rejects with `BAD_DATA` when there is no such folder; the next call tries again. A broken file of the folder does not
 * reject: the lab says it in the answers of that file's API.
 */
export function startLabOnce(dataDirectory: string, port?: number): () => Promise<Lab> {
  let started: Promise<Lab> | null = null
  return () => {
    const lab = started ?? startLab(port === undefined ? { dataDirectory } : { dataDirectory, port })
    started = lab
    return lab.catch((cause: unknown) => {
      started = null
      throw cause instanceof IncidentDataError
        ? // Where the folder lies is for the operator, not for a model.
          new ToolError(
            'BAD_DATA',
            `The data cannot be served: ${cause.message.replaceAll(dataDirectory, 'the data folder')}`,
            {
              cause,
            },
          )
        : cause
    })
  }
}
