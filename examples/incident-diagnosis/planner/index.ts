export { offlinePlanner } from './offline-planner.ts'
