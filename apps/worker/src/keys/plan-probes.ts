import { copiedField, type FieldPath, pointedField, returnedPointer } from './accessor-path.ts'
import { ArgumentPlan } from './argument-plan.ts'
import { ElfError, type ElfFile } from './elf-file.ts'
import { gnutlsSlots } from './gnutls-slots.ts'
import { beginsGoFunction, goFunction, isGo } from './go-function.ts'
import type { ProbePlan } from './probe-plan.ts'
import type { SecretArguments } from './secret-programs.ts'
import { SessionPlan } from './session-plan.ts'
import { opensslSlots } from './traffic-secrets.ts'

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

const OPENSSL = {
  logSecret: 'ssl_log_secret',
  handshake: 'SSL_do_handshake',
  random: 'SSL_get_client_random',
  session: 'SSL_get_session',
  masterKey: 'SSL_SESSION_get_master_key',
} as const
const GNUTLS = {
  handshake: 'gnutls_handshake',
  random: 'gnutls_session_get_random',
  masterKey: 'gnutls_session_get_master_secret',
} as const
const MAX_FUNCTION = 512

/**
 * The plan for a file; undefined if it has no known TLS library. Throws `ElfError` with a reason if it has one whose secrets
 * cannot be located.
 */
export function planProbes(file: ElfFile): ProbePlan | undefined {
  if (file.machine !== process.arch) return undefined
  return isGo(file) ? planGo(file) : (planOpenSsl(file) ?? planGnutls(file))
}

/** Go calls this function for each secret, even if no key log is written. */
function planGo(file: ElfFile): ProbePlan | undefined {
  const address = goFunction(file, GO_FUNCTION)
  if (address === undefined) return undefined
  if (!beginsGoFunction(file, address)) throw new ElfError(`the code of ${GO_FUNCTION} was not recognized`)
  return new ArgumentPlan('go', offsetOf(file, address), GO_ARGUMENTS)
}

/** Node.js exports a function of the OpenSSL inside that is called for each secret; the library itself does not. */
function planOpenSsl(file: ElfFile): ProbePlan | undefined {
  const functions = file.functions(Object.values(OPENSSL))
  const [log, handshake] = [functions.get(OPENSSL.logSecret), functions.get(OPENSSL.handshake)]
  if (log === undefined && handshake === undefined) return undefined
  const field = (name: string, read: ReadField) => fieldOf(file, functions, name, read)
  const random = field(OPENSSL.random, copiedField)
  if (log !== undefined)
    return new ArgumentPlan('node', offsetOf(file, log.address), {
      convention: 'c',
      label: 1,
      secret: 2,
      secretLength: 3,
      random: { argument: 0, path: random },
    })
  const masterKey = [...field(OPENSSL.session, returnedPointer), ...field(OPENSSL.masterKey, copiedField)]
  return new SessionPlan({
    ...{ source: 'openssl', success: 1, slots: opensslSlots },
    ...{ handshake: offsetOf(file, handshake!.address), random, masterKey, build: file.buildId },
  })
}

function planGnutls(file: ElfFile): ProbePlan | undefined {
  const functions = file.functions(Object.values(GNUTLS))
  const handshake = functions.get(GNUTLS.handshake)
  if (handshake === undefined) return undefined
  const random = fieldOf(file, functions, GNUTLS.random, pointedField)
  const masterKey = fieldOf(file, functions, GNUTLS.masterKey, pointedField)
  return new SessionPlan({
    ...{ source: 'gnutls', success: 0, slots: gnutlsSlots },
    ...{ handshake: offsetOf(file, handshake.address), random, masterKey, build: file.buildId },
  })
}

type ReadField = typeof copiedField

/** Where the field is that an exported function returns. */
function fieldOf(
  file: ElfFile,
  functions: ReturnType<ElfFile['functions']>,
  name: string,
  read: ReadField,
): FieldPath {
  const symbol = functions.get(name)
  if (symbol === undefined) throw new ElfError(`${name} is not exported`)
  const path = read(file.code(symbol.address, Math.min(symbol.size, MAX_FUNCTION)), file.machine)
  if (path === undefined) throw new ElfError(`the code of ${name} was not recognized`)
  return path
}

function offsetOf(file: ElfFile, address: number): number {
  const offset = file.fileOffset(address)
  if (offset === undefined) throw new ElfError(`no code at address ${address}`)
  return offset
}
