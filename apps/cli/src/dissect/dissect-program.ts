import { isMainThread } from 'node:worker_threads'
import { serveDissectThread } from './dissect-thread.ts'

/**
 * `tapdeck dissect` and each of its threads, as one file: what is called for each packet is not imported from another file, and one
 * file is found sooner than thirty.
 */
export { printCalls } from './print-calls.ts'

if (!isMainThread) serveDissectThread()
