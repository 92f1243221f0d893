export { ByteReader } from './bytes/byte-reader.ts'
export { ByteWriter } from './bytes/byte-writer.ts'
export { callFlow, type FlowCounters, type FlowMoments } from './call/call-flow.ts'
export { CallRecord, type CallSource } from './call/call-record.ts'
export { connectionEndOf } from './call/connection-end.ts'
export { toCallRecord } from './call/engine-call.ts'
export { deliveryOf, type LateFacts, type TimedCall, withLateResends } from './call/late-facts.ts'
export { firstByteOf, latencyOf } from './call/timings.ts'
export { waitedUs } from './call/waited-us.ts'
export {
  type Call,
  type CallFlow,
  type CompactCall,
  captureErrors,
  type Delivery,
  type Endpoint,
  type FlowMoment,
  type FullCall,
  type MissingMessage,
  type Peers,
  type PresentedMessage,
  type Summary,
  type TlsSession,
  unfinished,
} from './contract/call.ts'
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
} from './contract/dissector.ts'
export { ANY_PROTOCOL, UNTIL_CLOSE } from './contract/dissector.ts'
export type { Limits } from './contract/limits.ts'
export { defaultLimits } from './contract/limits.ts'
export { LINE, LINE_MARKS } from './contract/line-marks.ts'
export type { FieldValue, Handoff, Message } from './contract/message.ts'
export { redraft } from './contract/message.ts'
export type { SqlDialect } from './contract/redaction.ts'
export { Dissection, type DissectionOptions } from './dissection.ts'
export { Engine, type EngineOptions } from './engine/engine.ts'
export { JsonBytes } from './json/json-bytes.ts'
export { jsonFragment } from './json/json-fragment.ts'
export type { Allowance } from './memory/budget.ts'
export { Body } from './message/body.ts'
export { HeadPlace } from './message/head-place.ts'
export { writePath } from './message/placed-summary.ts'
export { CallLineWriter } from './ndjson/call-line-writer.ts'
export { FlowLinePrefix } from './ndjson/flow-line-prefix.ts'
export { packExchange, unpackExchange, writeExchange } from './pack/exchange-codec.ts'
export {
  type AddressAnswers,
  type AddressTaker,
  addressAnswers,
  addressText,
  eachAddress,
} from './protocols/dns/address-answers.ts'
export { protocolNamed, protocols } from './protocols/index.ts'
