import { closeSync, fstatSync, openSync } from 'node:fs'
import { SystemCallError } from '../system-call-error.ts'
import type { SystemCalls } from '../system-calls.ts'

const CLONE_NEWNET = 0x4000_0000
const OWN = '/proc/thread-self/ns/net'

/** This thread is in the network namespace of a pod and cannot return: it must end. */
export class LostNamespaceError extends Error {
  override readonly name = 'LostNamespaceError'
}

/**
 * Runs `action` with this thread in the network namespace `id` (`net:[4026532281]`) of the file at `path`. A namespace
 * belongs to a thread, and `action` is synchronous: nothing else of this process sees the other namespace. Throws
 * `SystemCallError`; EPERM without CAP_SYS_ADMIN.
 */
export function inNamespace<Result>(
  calls: SystemCalls,
  path: string,
  id: string,
  action: () => Result,
): Result {
  const own = openSync(OWN, 'r')
  try {
    enter(calls, path, id)
    const result = attempt(action)
    if (calls.setns(own, CLONE_NEWNET) < 0)
      throw new LostNamespaceError(`Cannot return to the own network namespace: errno ${calls.errno()}`)
    return result()
  } finally {
    closeSync(own)
  }
}

function enter(calls: SystemCalls, path: string, id: string): void {
  const other = openSync(path, 'r')
  try {
    // The process may have ended, and its id may belong to another one.
    if (`net:[${fstatSync(other).ino}]` !== id) throw new Error(`${path} is another namespace now`)
    if (calls.setns(other, CLONE_NEWNET) < 0) throw new SystemCallError('setns', calls.errno())
  } finally {
    closeSync(other)
  }
}

/** Returns the result, or how to throw what was thrown. */
function attempt<Result>(action: () => Result): () => Result {
  try {
    const result = action()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}
