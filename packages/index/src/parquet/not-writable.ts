/** A table cannot be written where the user wants it: no space, no right, or something else is there. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable'
}
