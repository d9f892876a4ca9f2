export { openRegularFile, readRegularFile } from './regular-file.ts'
export { showValue } from './show-value.ts'
