export { scrubCommandLine } from './scrub-command-line.ts'
