import { join } from 'node:path'

const here = import.meta.dirname

/**
 * Who is measured, in the order of each round. `peer`: what its adapter imports is installed into the scratch folder
 * first. `quick`: takes part in the short form. `heap: false`: what it keeps is not in the heap, and 500 runs of it
 * would take minutes.
 */
export const subjects = [
  { name: 'floor', quick: true, file: join(here, 'peers', 'floor', 'adapter.mjs') },
  { name: 'ai6', peer: true },
  { name: 'ai7', peer: true, quick: true },
  { name: 'openai-agents', peer: true },
  { name: 'fairlead', quick: true, file: join(here, 'fairlead', 'core.mjs') },
  { name: 'fairlead-ambient', file: join(here, 'fairlead', 'core-with-ambient.mjs') },
  { name: 'fairlead-middleware', quick: true, file: join(here, 'fairlead', 'with-middleware.mjs') },
  { name: 'fairlead-per-run', quick: true, file: join(here, 'fairlead', 'core-built-per-run.mjs') },
  { name: 'fairlead-ai-sdk', quick: true, file: join(here, 'fairlead', 'through-ai-sdk.mjs') },
  { name: 'fairlead-sqlite', quick: true, heap: false, file: join(here, 'fairlead', 'on-sqlite.mjs') },
]
