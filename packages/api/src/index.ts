export { type AgentAction, agentAction } from './agent-action.ts'
export { apiReference } from './api-reference.ts'
export { anyReader, type Capability, capabilities, type Needed } from './capability.ts'
export { filterText, type TextPlace, textsIn } from './filter-text.ts'
export { type GapReason, gapReasons, gapText } from './gap-shapes.ts'
export { RequestCorrelator } from './link/request-correlator.ts'
export { MAX_FILTER } from './max-filter.ts'
export { duration, parseTime, thingName, time } from './notation.ts'
export type { InterfaceName, Method, Operation, Scope } from './operation.ts'
export type {
  OperationInput,
  OperationName,
  OperationOutput,
  OperationRequest,
  Operations,
} from './operations/index.ts'
export { operations } from './operations/index.ts'
export { isGroupField } from './operations/inputs.ts'
export { isPodRecorder, recorderName } from './pod-recorder.ts'
export { Problem, type ProblemBody } from './problem.ts'
export { isRoleName, type RoleName, roles } from './role.ts'
export { routeTable } from './route-table.ts'
export * as shapes from './shapes.ts'
export { SkippedCalls, type SkippedSpan } from './skipped-calls.ts'
export { type StreamMessage, type StreamRequest, streamPath } from './stream.ts'
export { visiblePlainText, visibleText } from './visible-text.ts'
export {
  type CoverageReport,
  type EventsInput,
  type HubEnvelope,
  type HubMessage,
  hubEnvelope,
  initialCredit,
  type LiveCall,
  linkPath,
  maxLinkMessage,
  messageLimits,
  type NodeLoss,
  type RewindCost,
  type TraceContext,
  type WorkerMessage,
  type WorkerReport,
  type WorkerRequests,
  workerMessages,
  workerRequests,
} from './worker-link.ts'
