import { tool, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { itemsOf, readRunbooks } from '../sources/index.ts'
import type { IncidentServices } from './incident-services.ts'
import { scoreRunbooks } from './score-runbooks.ts'
import { success } from './success.ts'

const longestExcerpt = 1200

/** What `search_runbooks` answers, best first. */
export const runbooksResult = z.object({
  source: z.enum(['present', 'missing']),
  query: z.string(),
  searched: z.number(),
  runbooks: z.array(z.object({ file: z.string(), title: z.string(), score: z.number(), excerpt: z.string() })),
})

/** The tool that finds runbooks by words. */
export function searchRunbooks(services: IncidentServices): Tool {
  return tool({
    name: 'search_runbooks',
    description:
      'Find runbooks by words and read their beginning. Use it when there is a suspicion of what is wrong, to learn the agreed next steps. Do not use it for facts about the current incident.',
    inputSchema: z.strictObject({
      query: z
        .string()
        .min(1)
        .max(500)
        .describe('Words of the suspected cause and symptom, for example: slow after deployment.'),
      limit: z.int().min(1).max(10).optional().describe('How many runbooks at most. Default 3.'),
    }),
    effects: 'read',
    tags: ['incident', 'runbooks'],
    errorCodes: ['BAD_DATA'],
    execute: async ({ query, limit }) => {
      const source = await readRunbooks(services.dataDirectory)
      const all = itemsOf(source)
      const found = scoreRunbooks(all, query).slice(0, limit ?? 3)
      return success(
        {
          source: source.kind,
          query,
          searched: all.length,
          runbooks: found.map(({ runbook, score }) => ({
            file: runbook.file,
            title: runbook.title,
            score: Number(score.toFixed(3)),
            excerpt: runbook.text.slice(0, longestExcerpt),
          })),
        },
        source.kind === 'missing'
          ? 'There are no runbooks.'
          : found[0] === undefined
            ? `None of ${all.length} runbooks fits.`
            : `${found.length} of ${all.length} runbooks fit, best: ${found[0].runbook.title}.`,
      )
    },
  })
}
