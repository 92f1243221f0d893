export { Body } from './body.ts'
export { borrowWriter, returnWriter } from './borrowed-writer.ts'
export type { Allowance } from './budget.ts'
export { ByteReader } from './byte-reader.ts'
export { ByteWriter } from './byte-writer.ts'
export {
  type Call,
  type CompactCall,
  captureErrors,
  type Endpoint,
  type FullCall,
  type MissingHalf,
  type PresentedHalf,
  type Summary,
} from './call.ts'
export { type CallFlow, callFlow, type FlowFigures } from './call-flow.ts'
export { CallFrame } from './call-frame.ts'
export { CallLine } from './call-line.ts'
export { CallRecord, type CallSource } from './call-record.ts'
export { Dissection, type DissectionOptions } from './dissection.ts'
export type {
  Connection,
  Conversation,
  Dissector,
  Exchange,
  Field,
  Fields,
  FieldType,
  Frame,
  Presentation,
  Verdict,
} from './dissector.ts'
export { ANY_PROTOCOL, UNTIL_CLOSE } from './dissector.ts'
export { Engine, type EngineOptions } from './engine/engine.ts'
export { toCallRecord } from './engine-call.ts'
export { packExchange, unpackExchange, writeExchange } from './exchange-codec.ts'
export { JsonBytes } from './json-bytes.ts'
export type { Limits } from './limits.ts'
export { defaultLimits } from './limits.ts'
export { LINE, LINE_MARKS } from './line-marks.ts'
export type { FieldValue, Handoff, Message } from './message.ts'
export { redraft } from './message.ts'
export { phrase } from './phrase.ts'
export { writePath } from './placed-summary.ts'
export {
  type AddressAnswers,
  type AddressTaker,
  addressAnswers,
  addressText,
  eachAddress,
} from './protocols/dns/address-answers.ts'
export { protocolNamed, protocols } from './protocols/index.ts'
export { eachBatch } from './protocols/kafka/each-batch.ts'
export { eachScalar } from './protocols/mongodb/each-scalar.ts'
export { firstByteOf, latencyOf } from './timings.ts'
