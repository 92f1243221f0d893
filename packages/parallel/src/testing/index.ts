export { mixedTraffic } from './mixed-traffic.ts'
