export type { AddressNames, DnsNames, ProcessOwners } from './named-flow.ts'
export { NamedFlow } from './named-flow.ts'
export { PeerNames } from './peer-names.ts'
export { Pipeline, type PipelineNames, type PipelineOptions, type PipelineOutput } from './pipeline.ts'
