export { BpfError } from './bpf-error.ts'
export { BpfFilter } from './bpf-filter.ts'
export { FilterProgram } from './filter-program.ts'
export type { BpfPredicate } from './predicate.ts'
