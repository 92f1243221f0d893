/** A word that reads as a number is one to filters. */
const NUMERIC = /^(?:0|-?[1-9][0-9]{0,14})$/

/** The number of a status that is one, or reads as one; undefined otherwise. */
export function statusNumber(status: number | string | undefined): number | undefined {
  const number = typeof status === 'string' && NUMERIC.test(status) ? Number(status) : status
  return typeof number === 'number' && Number.isInteger(number) && Math.abs(number) < 1e15
    ? number
    : undefined
}
