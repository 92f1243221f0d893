import { dissect } from '../peers/own-run.ts'

/** A process of its own, so that its peak of memory is that of one capture. */
const [, , file] = process.argv
console.log(JSON.stringify(dissect(file)))
