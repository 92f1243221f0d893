export { type FilteredPacket, runProgram } from './run-program.ts'
