export { Body } from './body.ts'
export type { Allowance } from './budget.ts'
export type {
  Call,
  CompactCall,
  Endpoint,
  FullCall,
  MissingHalf,
  PresentedHalf,
  Summary,
} from './call.ts'
export { CallRecord, type CallSource, timings, toCallRecord } from './call-record.ts'
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
export { packExchange, unpackExchange } from './exchange-codec.ts'
export type { Limits } from './limits.ts'
export { defaultLimits } from './limits.ts'
export type { FieldValue, Handoff, Message } from './message.ts'
export { protocolNamed, protocols } from './protocols/index.ts'
