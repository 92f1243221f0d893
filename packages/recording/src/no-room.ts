/** The bytes would go past a configured maximum, or the disk itself is full. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'
  readonly needed: number
  readonly free: number

  constructor(message: string, needed: number, free: number) {
    super(message)
    this.needed = needed
    this.free = free
  }
}
