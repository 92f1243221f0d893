import { dissect, walk } from './own-run.ts'

/** A process of its own, with nothing in it but what it measures. */
const [, , mode, file] = process.argv
console.log(JSON.stringify(mode === 'walk' ? walk(file) : dissect(file)))
