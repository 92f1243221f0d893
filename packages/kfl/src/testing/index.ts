export { arbitraryCall } from './arbitrary-call.ts'
export { type ArbitraryFilter, arbitraryFilter } from './arbitrary-filter.ts'
export { type Random, seededRandom } from './random.ts'
export { sampleProtocols } from './sample-protocols.ts'
