export { InTurn } from './in-turn.ts'
export { mixedTraffic } from './mixed-traffic.ts'
