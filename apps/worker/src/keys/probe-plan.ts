import { copiedField } from './accessor-path.ts'
import { ElfError, type ElfFile } from './elf-file.ts'
import { beginsGoFunction, goFunction, isGo } from './go-function.ts'
import type { SecretOrigin } from './key-source.ts'
import { type ProgramContext, type SecretArguments, secretProgram } from './secret-programs.ts'

/** Where a file is probed, and what is read there. */
export interface ProbePlan {
  readonly source: SecretOrigin
  /** Offsets in the file. */
  readonly offsets: readonly number[]
  program(context: ProgramContext): Uint8Array
}

const GO_FUNCTION = 'crypto/tls.(*Config).writeKeyLog'
/** Receiver; label (address, length); random and secret (address, length, capacity each). */
const GO_ARGUMENTS: SecretArguments = {
  convention: 'go',
  label: 1,
  labelLength: 2,
  secret: 6,
  secretLength: 7,
  random: { argument: 3, path: [0] },
}

const [LOG_SECRET, GET_RANDOM] = ['ssl_log_secret', 'SSL_get_client_random']
const MAX_FUNCTION = 512

/**
 * The plan for a file; undefined if it has no known TLS library. Throws `ElfError` with a reason if it has one whose secrets
 * cannot be located.
 */
export function probePlan(file: ElfFile): ProbePlan | undefined {
  if (file.machine !== process.arch) return undefined
  return isGo(file) ? goPlan(file) : openSslPlan(file)
}

/** Go calls this function for each secret, even if no key log is written. */
function goPlan(file: ElfFile): ProbePlan | undefined {
  const address = goFunction(file, GO_FUNCTION)
  if (address === undefined) return undefined
  if (!beginsGoFunction(file, address)) throw new ElfError(`the code of ${GO_FUNCTION} was not recognized`)
  return plan(file, 'go', address, GO_ARGUMENTS)
}

/** Node.js exports the functions of the OpenSSL inside; one of them is called for each secret. */
function openSslPlan(file: ElfFile): ProbePlan | undefined {
  const functions = file.functions([LOG_SECRET, GET_RANDOM])
  const [log, getRandom] = [functions.get(LOG_SECRET), functions.get(GET_RANDOM)]
  if (log === undefined) return undefined
  if (getRandom === undefined) throw new ElfError(`${GET_RANDOM} is not exported`)
  const path = copiedField(file.code(getRandom.address, Math.min(getRandom.size, MAX_FUNCTION)), file.machine)
  if (path === undefined) throw new ElfError(`the code of ${GET_RANDOM} was not recognized`)
  return plan(file, 'node', log.address, {
    convention: 'c',
    label: 1,
    secret: 2,
    secretLength: 3,
    random: { argument: 0, path },
  })
}

function plan(file: ElfFile, source: SecretOrigin, address: number, layout: SecretArguments): ProbePlan {
  const offset = file.fileOffset(address)
  if (offset === undefined) throw new ElfError(`no code at address ${address}`)
  return { source, offsets: [offset], program: (context) => secretProgram(context, layout) }
}
