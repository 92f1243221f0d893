import { statSync } from 'node:fs'
import type { Inventory, Pod, Service } from '@tapdeck/inventory'
import { openCaptureFile } from '@tapdeck/recording'
import { CaptureNotes, CaptureReader } from '@tapdeck/wire'

/** What our own captures name as application, with or without version and node; names in files of others may be of any kind. */
const APPLICATION = /^tapdeck\b/
/** Exports have their names before the first packet. */
const MAX_HEAD_BYTES = 16 << 20
const SERVICE_SUFFIX = '.svc'

/** The pods and services that our own pcapng files carry in their name resolution blocks. */
export async function carriedNames(files: readonly string[]): Promise<Inventory> {
  const pods = new Map<string, Pod>()
  const services = new Map<string, Service>()
  for (const file of files) {
    // Files that cannot be read are reported when they are dissected.
    const names = isRegular(file) ? await namesOf(file).catch(() => undefined) : undefined
    for (const [ip, all] of names ?? []) {
      for (const name of all) {
        if (all.includes(name + SERVICE_SUFFIX)) continue
        const isService = name.endsWith(SERVICE_SUFFIX)
        add<Pod | Service>(
          isService ? services : pods,
          isService ? name.slice(0, -SERVICE_SUFFIX.length) : name,
          ip,
        )
      }
    }
  }
  return { pods: [...pods.values()], services: [...services.values()] }
}

/** `full`: name and namespace; a namespace has no dot. */
function add<Named extends Pod | Service>(known: Map<string, Named>, full: string, ip: string): void {
  const dot = full.lastIndexOf('.')
  if (dot <= 0) return
  const ips = known.get(full)?.ips ?? []
  if (ips.includes(ip)) return
  const named = { name: full.slice(0, dot), namespace: full.slice(dot + 1), ips: [...ips, ip] }
  known.set(full, named as unknown as Named)
}

async function namesOf(file: string): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const notes = new CaptureNotes()
  let packets = 0
  const reader = new CaptureReader({ packet: () => void packets++ }, {}, notes)
  for await (const chunk of openCaptureFile(file)) {
    reader.push(chunk)
    if (packets > 0 || reader.bytes >= MAX_HEAD_BYTES) break
  }
  return APPLICATION.test(notes.application ?? '') ? notes.names : undefined
}

/** What is read twice must not be a pipe. */
function isRegular(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
}
