export { currentInvocation } from '@fairlead/runtime/ambient'
