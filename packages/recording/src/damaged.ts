/** Stored bytes are not what was stored. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}
