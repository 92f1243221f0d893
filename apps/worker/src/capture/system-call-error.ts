import { constants } from 'node:os'

/** A system call that failed, with its `errno`. */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError'
  readonly errno: number

  constructor(call: string, errno: number) {
    super(`${call}: ${nameOf(errno)}`)
    this.errno = errno
  }

  /** Whether a right is missing. */
  get isDenied(): boolean {
    return this.errno === constants.errno.EPERM || this.errno === constants.errno.EACCES
  }
}

function nameOf(errno: number): string {
  const known = Object.entries(constants.errno).find(([, value]) => value === errno)
  return known?.[0] ?? `error ${errno}`
}
