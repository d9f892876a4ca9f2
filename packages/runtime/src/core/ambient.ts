/**
 * The call this code runs under, for code deep below a tool that is handed nothing. A door of its own because on Node 20
 * following asynchronous code has a price for the whole process: who imports it pays, nobody else does.
 */
export { currentInvocation } from './platform/current-invocation.ts'
