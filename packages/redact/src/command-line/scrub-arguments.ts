import { MASK } from './mask.ts'
import { Program } from './program.ts'
import { maskForms } from './secret-forms.ts'
import { isSecretName } from './secret-name.ts'
import { splitWords } from './words.ts'

/** Scripts in scripts: `sh -c "sh -c '…'"`. What is deeper is not shown. */
const DEEPEST = 6
const OPTION = /^--?([A-Za-z][\w.-]+)$/
const ASSIGNED = /^(-{0,2}([A-Za-z_][\w.-]*)=)(?=[\s\S])/
const HEADER = /^(\s*([A-Za-z][\w-]*):\s*)(?=\S)/
const HEADER_NAME = /^(?:-H|--?[\w-]+=)?['"]?([A-Za-z][\w-]*):$/
/** What looks like another option and not like a value: `-x`, `--name`, `--name=…`. A random token rarely does. */
const NEXT_OPTION = /^(?:-[A-Za-z]|--[a-z]+(?:-[a-z]+)*(?:=[\s\S]*)?)$/
const OPERATOR = /^(?:&&|\|\|?|&|;)$/
const SEPARATOR = /^(?:&&|\|\|?|&)$|;$/
/** `user:password` follows these; a plain user name may be shown. */
const LOGIN_OPTION = /^--(?:proxy-)?(?:user|cert)$/
/** A key of a Kubernetes Secret and its value. */
const LITERAL = /((?:^--from-literal=)?[\w.-]+=)[\s\S]+/
const QUOTED = /^(["'])([\s\S]*)\1$/
const QUOTES = /"([^"]*)"|'([^']*)'/g

/** What the next argument is: the value of a secret option, `name=` and such a value, a login, or more of a header. */
type Pending = 'value' | 'assigned' | 'login' | 'header' | undefined

/**
 * The arguments of a process with every secret masked: values of options, variables, headers and JSON keys whose names
 * say so, `-u` and `-p`, credentials in URLs, and tokens and keys by their form. It hides too much rather than too little.
 */
export function scrubArguments(args: readonly string[]): string[] {
  return scrub(args, 0)
}

/** The same for a text of several words: a script, or arguments that were joined with blanks. */
export function scrubText(text: string): string {
  return scrubWords(text, 0)
}

function scrub(args: readonly string[], depth: number): string[] {
  let pending: Pending
  let program: Program | undefined
  return args.flatMap((arg) => {
    const before = pending
    pending = undefined
    if (before === 'header' && !NEXT_OPTION.test(arg) && !arg.includes('://')) {
      // The mask was written with the name. One that was there before is the whole value.
      pending = arg === MASK ? undefined : 'header'
      return []
    }
    const isValue = before === 'value' ? !NEXT_OPTION.test(arg) : before === 'login' && arg.includes(':')
    if (isValue) return [MASK + ending(arg)]
    if (before === 'assigned') return [arg.replace(LITERAL, `$1${MASK}`)]
    const placed = OPERATOR.test(arg) ? undefined : program?.read(arg)
    if (placed !== undefined) {
      if (SEPARATOR.test(arg)) program = undefined
      return [placed + ending(arg)]
    }
    if (!program && !ASSIGNED.test(arg)) program = new Program(arg)
    const running = program ?? new Program('')
    if (SEPARATOR.test(arg) || running.beginsScript(arg)) program = undefined
    pending = pendingAfter(arg, running)
    const shown = scrubArgument(arg, running, depth)
    return pending === 'header' ? [shown, MASK] : [shown]
  })
}

function pendingAfter(arg: string, program: Program): Pending {
  const field = HEADER_NAME.exec(arg)?.[1]
  if (field !== undefined) return isSecretName(field) ? 'header' : undefined
  if (program.isFlag(arg)) return undefined
  if (LOGIN_OPTION.test(arg)) return 'login'
  if (arg === '--from-literal') return 'assigned'
  const name = OPTION.exec(arg)?.[1]
  return (name !== undefined && isSecretName(name)) || program.hidesNext(arg) ? 'value' : undefined
}

function scrubArgument(arg: string, program: Program, depth: number): string {
  if (depth > DEEPEST) return MASK
  if (arg.startsWith('--from-literal=')) return arg.replace(LITERAL, `$1${MASK}`)
  const [, assigned, name] = ASSIGNED.exec(arg) ?? []
  if (assigned !== undefined)
    return (
      assigned +
      (isSecretName(name!) || (LOGIN_OPTION.test(assigned.slice(0, -1)) && arg.includes(':'))
        ? MASK + ending(arg)
        : scrubArgument(arg.slice(assigned.length), program, depth + 1))
    )
  const [, header, field] = HEADER.exec(arg) ?? []
  if (header !== undefined && isSecretName(field!)) return header + MASK
  const isOption = OPTION.test(arg) && isSecretName(arg.slice(1))
  const secretAt = isOption ? undefined : program.secretAt(arg)
  if (secretAt !== undefined) return arg.slice(0, secretAt) + MASK
  return /\s/.test(arg) ? scrubWords(arg, depth) : maskForms(arg)
}

function scrubWords(text: string, depth: number): string {
  if (depth > DEEPEST) return MASK
  const [, quote, inside] = QUOTED.exec(text) ?? []
  if (quote !== undefined && !inside!.includes(quote)) return quote + scrubWords(inside!, depth + 1) + quote
  const words = splitWords(maskForms(text))
  if (words.length === 1)
    return words[0]!.text.replace(QUOTES, (quoted: string) => scrubWords(quoted, depth + 1))
  const scrubbed = scrub(
    words.map((word) => word.text),
    depth + 1,
  )
  return words.length === scrubbed.length
    ? words.map(({ before }, at) => before + scrubbed[at]).join('')
    : scrubbed.join(' ')
}

/** A separator that belongs to the script: `TOKEN=x; next`. */
function ending(arg: string): string {
  return arg.endsWith(';') ? ';' : ''
}
