import { statSync } from 'node:fs'

/** Inode of the initial PID namespace (linux/proc_ns.h). */
const INITIAL_PID_NAMESPACE = 0xefff_fffc

/** The PID namespace: undefined for the initial one, otherwise its device and inode. */
export type PidNamespace = { readonly device: bigint; readonly inode: bigint } | undefined

/** The PID namespace of /proc. */
export function pidNamespace(): PidNamespace {
  const { dev, ino } = statSync('/proc/self/ns/pid', { bigint: true })
  return ino === BigInt(INITIAL_PID_NAMESPACE) ? undefined : { device: dev, inode: ino }
}
