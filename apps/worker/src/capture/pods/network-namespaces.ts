import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Processes that are looked at; above that, the rest is ignored. */
const MAX_PROCESSES = 65_536
/** A container's first process joins its namespace shortly after it started: a new process is read this often. */
const READ_NEW = 3
/** All processes are read again after this many scans: ids are reused. */
const READ_ALL_AFTER = 30

/** Share of processes that may be unreadable: a system may protect some of its own from everyone. */
const MAX_UNREADABLE = 0.25

interface KnownProcess {
  namespace: string
  reads: number
}

/** A network namespace, by the text of its link in /proc (`net:[4026532281]`), with the id of a process in it. */
export interface NetworkNamespace {
  readonly id: string
  readonly process: string
}

/** Finds the network namespaces of this machine other than our own, through their processes. */
export class NetworkNamespaces {
  /** Whether many processes belong to others and may not be read, as without CAP_SYS_PTRACE. */
  isRestricted = false
  readonly #root: string
  readonly #known = new Map<string, KnownProcess>()
  #scans = 0
  #unreadable = 0

  constructor(root = '/proc') {
    this.#root = root
  }

  /** The namespaces that have a process now. Costs one system call for each process that is not known yet. */
  scan(): Map<string, NetworkNamespace> {
    this.#unreadable = 0
    const own = this.#read('thread-self') ?? this.#read('self')
    const processes = this.#processes()
    const isFull = this.#scans++ % READ_ALL_AFTER === 0
    const alive = new Set(processes)
    for (const process of this.#known.keys()) if (!alive.has(process)) this.#known.delete(process)
    const found = new Map<string, NetworkNamespace>()
    for (const process of processes) {
      const id = this.#namespaceOf(process, isFull)
      if (id !== undefined && id !== own && !found.has(id)) found.set(id, { id, process })
    }
    if (isFull) this.isRestricted = this.#unreadable > MAX_UNREADABLE * processes.length
    return found
  }

  /** Path of the namespace of a process. */
  path(process: string): string {
    return join(this.#root, process, 'ns', 'net')
  }

  #namespaceOf(process: string, again: boolean): string | undefined {
    const known = this.#known.get(process)
    if (known !== undefined && known.reads >= READ_NEW && !again) return known.namespace
    const namespace = this.#read(process)
    if (namespace === undefined) return undefined
    this.#known.set(process, { namespace, reads: (known?.reads ?? 0) + 1 })
    return namespace
  }

  #processes(): string[] {
    try {
      return readdirSync(this.#root)
        .filter((name) => /^\d+$/.test(name))
        .slice(0, MAX_PROCESSES)
    } catch {
      return []
    }
  }

  /** Undefined if the process has ended, or belongs to others and we may not look at it. */
  #read(process: string): string | undefined {
    try {
      return readlinkSync(this.path(process))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') this.#unreadable++
      return undefined
    }
  }
}
