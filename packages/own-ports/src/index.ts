export { type OwnAgents, ownAgents } from './own-agents.ts'
