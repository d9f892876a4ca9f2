export { mostFailedBatches } from './most-failed-batches.ts'
export { offlinePlanner } from './offline-planner.ts'
