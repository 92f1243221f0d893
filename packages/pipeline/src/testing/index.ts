export { type MadeCapture, madeCaptures, madeInventory } from './made-captures.ts'
