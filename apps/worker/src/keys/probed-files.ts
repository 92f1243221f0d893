import { closeSync, fstatSync, readlinkSync } from 'node:fs'
import { SystemCallError } from '../capture/system-call-error.ts'
import { ElfError, ElfFile } from './elf-file.ts'
import type { SecretOrigin } from './key-source.ts'
import { type MappedFile, openMappedFile } from './mapped-files.ts'
import { noProbesReason } from './no-probes-reason.ts'
import { planProbes } from './plan-probes.ts'
import type { AttachedProbes, ProbeKernel } from './probe-kernel.ts'
import type { FoundSecret, ProbePlan, ProbeRecord } from './probe-plan.ts'

/** Files that are probed at the same time. */
const MAX_PROBED = 512
/** Files that are remembered as not to be probed. */
const MAX_KNOWN = 8192
/**
 * How long probes stay without a process: a program that starts again, such as curl, is probed from its first instruction. A file of
 * a container is released sooner, because a probe keeps its file system in use.
 */
const LINGER_MS = { own: 600_000, container: 30_000 }
/** How long probes stay after they were replaced. */
const MAX_HANDSHAKE_MS = 5000
/** How long a file stays without probes after a process exceeded its budget. */
const PENALTY_MS = 60_000

export interface ProbedFile {
  readonly number: number
  readonly source: SecretOrigin
  readonly path: string
}

interface Probed extends ProbedFile {
  readonly identity: string
  readonly isOwn: boolean
  readonly plan: ProbePlan
  readonly fd: number
  readonly pids: Set<number>
  idleSince: number
  attached: AttachedProbes
  /** The probes before them: handshakes that began with these also end with them. */
  replaced?: { readonly probes: AttachedProbes; readonly until: number } | undefined
}

/** The files that are probed, by identity: a file is probed once, whatever path and container it is found in. */
export class ProbedFiles {
  learningFailures = 0
  /** Why a file that does TLS is not probed; the latest such reason. */
  reason: string | undefined
  readonly #kernel: ProbeKernel
  readonly #probed = new Map<string, Probed>()
  readonly #byNumber = new Map<number, Probed>()
  /** Identities of files that are not to be probed, until a time. */
  readonly #refused = new Map<string, number>()
  readonly #ownMounts = mountsOf('self')
  #count = 0

  constructor(kernel: ProbeKernel) {
    this.#kernel = kernel
  }

  get probes(): number {
    let probes = 0
    for (const file of this.#probed.values()) probes += file.attached.count
    return probes
  }

  byNumber(number: number): ProbedFile | undefined {
    return this.#byNumber.get(number)
  }

  /** Probes a file of a targeted process, if it does TLS and is not probed yet. */
  use(mapped: MappedFile, now: number): void {
    const fd = openMappedFile(mapped)
    if (fd === undefined) return
    let isKept = false
    try {
      const { ino, size, mtimeNs, ctimeNs } = fstatSync(fd, { bigint: true })
      // No device: containers of one image have the same file on devices of their own.
      const identity = [ino, size, mtimeNs, ctimeNs].join()
      const known = this.#probed.get(identity)
      if (known !== undefined) known.pids.add(mapped.pid)
      else if ((this.#refused.get(identity) ?? 0) <= now) isKept = this.#probe(fd, identity, mapped)
    } finally {
      if (!isKept) closeSync(fd)
    }
  }

  /** The secrets of a record; undefined if there are none that can be read. */
  secretsOf(record: ProbeRecord, now: number): FoundSecret[] | undefined {
    const file = this.#byNumber.get(record.file)
    const secrets = file?.plan.secretsOf(record)
    if (file?.plan.isChanged) this.#attachAgain(file, now)
    return secrets
  }

  /** A process that was forked has the files of its parent. */
  usedBy(number: number, pid: number): void {
    this.#byNumber.get(number)?.pids.add(pid)
  }

  ended(pid: number, now: number): void {
    for (const file of this.#probed.values())
      if (file.pids.delete(pid) && file.pids.size === 0) file.idleSince = now
  }

  /** Removes the probes of files that no process runs any more. */
  sweep(now: number): void {
    for (const file of [...this.#probed.values()]) {
      if (file.replaced !== undefined && file.replaced.until <= now) releaseReplaced(file)
      if (file.pids.size === 0 && now - file.idleSince > LINGER_MS[file.isOwn ? 'own' : 'container'])
        this.#remove(file)
    }
  }

  /** Removes the probes of a file for a while. */
  suspend(number: number, now: number): void {
    const file = this.#byNumber.get(number)
    if (file === undefined) return
    this.#remove(file)
    this.#refuse(file.identity, now + PENALTY_MS)
  }

  close(): void {
    for (const file of [...this.#probed.values()]) this.#remove(file)
  }

  /** Returns whether the open file is kept. */
  #probe(fd: number, identity: string, { pid, path }: MappedFile): boolean {
    const plan = this.#planOf(fd, path)
    if (plan === undefined) {
      this.#refuse(identity, Number.POSITIVE_INFINITY)
      return false
    }
    if (this.#probed.size >= MAX_PROBED) {
      this.reason = `${path} is not probed: ${MAX_PROBED} files are probed already. Target fewer processes.`
      return false
    }
    const number = ++this.#count
    try {
      const file: Probed = {
        identity,
        number,
        path,
        fd,
        plan,
        source: plan.source,
        isOwn: mountsOf(pid) === this.#ownMounts,
        pids: new Set([pid]),
        idleSince: 0,
        attached: this.#kernel.attach(fd, number, plan),
      }
      this.#probed.set(identity, file)
      this.#byNumber.set(number, file)
      return true
    } catch (error) {
      this.#failed(path, error)
      this.#refuse(identity, Number.POSITIVE_INFINITY)
      return false
    }
  }

  #attachAgain(file: Probed, now: number): void {
    try {
      const probes = file.attached
      file.attached = this.#kernel.attach(file.fd, file.number, file.plan)
      releaseReplaced(file)
      file.replaced = { probes, until: now + MAX_HANDSHAKE_MS }
    } catch (error) {
      this.#failed(file.path, error)
    }
  }

  #failed(path: string, error: unknown): void {
    if (!(error instanceof SystemCallError)) throw error
    this.reason = error.isDenied ? noProbesReason(error) : `${path} cannot be probed: ${error.message}`
  }

  #planOf(fd: number, path: string): ProbePlan | undefined {
    let file: ElfFile
    try {
      file = new ElfFile(fd)
    } catch {
      return undefined
    }
    try {
      return planProbes(file)
    } catch (error) {
      if (!(error instanceof ElfError)) throw error
      this.learningFailures++
      this.reason = `The keys of ${path} cannot be located: ${error.message}`
      return undefined
    }
  }

  #remove(file: Probed): void {
    releaseReplaced(file)
    file.attached.release()
    closeSync(file.fd)
    this.#probed.delete(file.identity)
    this.#byNumber.delete(file.number)
  }

  #refuse(identity: string, until: number): void {
    this.#refused.delete(identity)
    this.#refused.set(identity, until)
    if (this.#refused.size <= MAX_KNOWN) return
    const [oldest] = this.#refused.keys()
    if (oldest !== undefined) this.#refused.delete(oldest)
  }
}

function releaseReplaced(file: Probed): void {
  file.replaced?.probes.release()
  file.replaced = undefined
}

function mountsOf(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return undefined
  }
}
