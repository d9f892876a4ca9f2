import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, defineConfig } from 'fairlead'
import { mostFailedBatches, offlinePlanner } from './planner/index.ts'
import { findReport } from './report/index.ts'
import { dataFolder, labPort, serviceUrl, startLabOnce } from './sources/index.ts'
import { incidentTools } from './tools/index.ts'

const instructions = `You diagnose incidents of one service from evidence.
Read the alert first. Then compare recent deployments with latency, error ratio, request rate, CPU, memory, database connections, upstream latency, error logs and pods of the same time window. Look for a runbook.
Name the most likely cause with the evidence for it, how sure you are, what is excluded and why, and which sources were missing. A deployment after the onset is no cause; a coincidence in time alone is at most medium confidence.
When the evidence suffices, propose an incident ticket. Never restart, roll back or scale anything: advise it and say that it needs approval.`

export default defineConfig({
  agent: async (options) => {
    const dataDirectory = dataFolder(dirname(fileURLToPath(import.meta.url)), options.data)
    const port = labPort('FAIRLEAD_LAB_PORT', process.env['FAIRLEAD_LAB_PORT'])
    const lab = startLabOnce(dataDirectory, port)
    // Somebody wants to look at the same data from outside: a port that is taken is said before anything runs.
    if (port !== undefined) await lab()
    const prometheusUrl = serviceUrl('PROMETHEUS_URL', process.env['PROMETHEUS_URL'])
    const lokiUrl = serviceUrl('LOKI_URL', process.env['LOKI_URL'])
    const besideStore = (file: string): string => join(dirname(options.storeFile), file)
    return new Agent({
      name: 'incident-diagnosis',
      instructions,
      // What a failed call is answered with here is another attempt: a shorter time, a coarser step.
      maxConsecutiveErrors: mostFailedBatches + 1,
      tools: incidentTools({
        dataDirectory,
        ticketsFile: besideStore('tickets.jsonl'),
        messagesFile: besideStore('messages.jsonl'),
        // Off unless somebody asked for it: an agent that diagnoses has no need to restart anything.
        ...(process.env['FAIRLEAD_INCIDENT_ACTIONS'] === '1' ? { actionsFile: besideStore('actions.jsonl') } : {}),
        prometheusUrl: async () => prometheusUrl ?? (await lab()).prometheusUrl,
        lokiUrl: async () => lokiUrl ?? (await lab()).lokiUrl,
      }),
    })
  },
  offlineModel: offlinePlanner,
  report: (result) => findReport(result.messages),
})
