export { editDistance } from './edit-distance.ts'
export { type ErrorPlace, PlacedError } from './placed-error.ts'
