export { type AgentAction, agentAction } from './agent-action.ts'
export { apiReference } from './api-reference.ts'
export { type Capability, capabilities } from './capability.ts'
export { duration, parseDuration, parseTime, thingName, time } from './notation.ts'
export type { Door, Method, Operation, Scope } from './operation.ts'
export type { OperationInput, OperationName, OperationOutput, Operations } from './operations/index.ts'
export { operations } from './operations/index.ts'
export { Problem, type ProblemBody } from './problem.ts'
export { isRoleName, type RoleName, roles } from './role.ts'
export * as shapes from './shapes.ts'
export { type StreamMessage, type StreamRequest, streamPath } from './stream.ts'
export {
  type EventsInput,
  type HubMessage,
  initialCredit,
  linkPath,
  type NodeLoss,
  type RewindCost,
  type WorkerMessage,
  type WorkerReport,
  type WorkerRequests,
} from './worker-link.ts'
